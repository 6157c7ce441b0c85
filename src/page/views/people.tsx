import { useEffect, useState } from "preact/hooks";
import { mostActiveQuery, devicesQuery, personSessionsQuery, profileQuery, referrersQuery, eventsOfPersonQuery } from "../api/queries.js";
import { number, instantDay, clock, instant, duration, money, percent, fieldValue, noun, NOT_SET, type FormattedNumber } from "../format/text.js";
import { sheetOf } from "../format/sheet.js";
import { Num } from "../../charts/figures.js";
import { ViewLink, ExternalText, Button, Cut, Loaded, Figure } from "../parts/inline.js";
import { usePage, useQuery } from "../parts/page-context.js";
import { Panel, fileName, saveFile } from "../parts/panel.js";
import { Grid } from "../parts/tables.js";
import { choose } from "../state/view-state.js";
import { NothingHere } from "./remarks.js";
import type { ProfileAnswer, ShownSession, PersonSessionsAnswer } from "../api/answers.js";
import { erasePerson, exportPerson } from "../api/client.js";
import { hasScope } from "../api/rights.js";
import { Confirmation } from "../parts/dialog.js";
import { TextField } from "../parts/fields.js";

export function People() {
  const { viewState, go } = usePage();
  const { person } = viewState.choices.people;
  const [text, setText] = useState(person);
  useEffect(() => setText(person), [person]);
  const submit = (event: Event) => {
    event.preventDefault();
    go(choose(viewState, "people", { person: text.trim() }));
  };
  return (
    <>
      <form class="panel search" role="search" onSubmit={submit}>
        <TextField label="Email, user id or visitor id" type="search" value={text} placeholder="ann@example.org" onInput={setText} />
        <button type="submit" class="button primary">
          Find
        </button>
        {person !== "" && (
          <ViewLink class="button" to={choose(viewState, "people", { person: "" })}>
            Most active people
          </ViewLink>
        )}
      </form>
      {person === "" ? <MostActive /> : <Person key={person} person={person} />}
    </>
  );
}

function MostActive() {
  const { viewState, scope } = usePage();
  const result = useQuery(mostActiveQuery({ ...scope, filters: [] }));
  return (
    <Panel
      title="Most active people"
      result={result}
      lines={16}
      sheet={({ series }) => sheetOf(series.map(({ values, total }) => ({ user_id: values[0], events: total })))}
    >
      {({ series }) => {
        const identified = series.filter(({ values }) => (values[0] ?? "") !== "");
        if (identified.length === 0)
          return series.length === 0 ? <NothingHere /> : <p class="nothing">No person has a user id in this period: search by a visitor id.</p>;
        return (
          <Grid
            label="Most active people"
            rows={identified}
            keyOf={({ values }) => values[0] ?? ""}
            columns={[
              { name: "User", cell: ({ values: [id = ""] }) => <ViewLink to={choose(viewState, "people", { person: id })}>{id}</ViewLink> },
              { name: "Events", isNumber: true, cell: ({ total }) => <Num shown={number(total)} /> },
            ]}
          />
        );
      }}
    </Panel>
  );
}

function Person({ person }: { readonly person: string }) {
  const { scope } = usePage();
  const profile = useQuery(profileQuery(scope, person));
  const sessions = useQuery(personSessionsQuery(scope, person, null));
  const isKnown = profile.error === null;
  return (
    <>
      <Panel
        title={person}
        result={profile}
        lines={4}
        head={isKnown ? <PersonActions person={person} /> : undefined}
        sheet={(answer) => sheetOf([answer])}
      >
        {(answer) => <Profile answer={answer} />}
      </Panel>
      {isKnown && (
        <div class="pair person">
          <Panel title="Sessions" result={sessions} lines={12} sheet={(answer) => sheetOf(answer.sessions)}>
            {(answer) => <Timeline key={answer.identity_id} person={person} first={answer} />}
          </Panel>
          <div class="stack">
            <Devices person={person} />
            <Referrers person={person} />
          </div>
        </div>
      )}
    </>
  );
}

function Profile({ answer }: { readonly answer: ProfileAnswer }) {
  const { zone } = usePage().scope;
  const figures: readonly (readonly [string, FormattedNumber])[] = [
    ["Events", number(answer.events)],
    ["Views", number(answer.pageviews)],
    ["Sessions", number(answer.sessions)],
    ["Average duration", duration(answer.duration_avg_sec)],
    ["Bounce rate", percent(answer.bounce_rate)],
    ["Active days", number(answer.active_days)],
    ["Revenue", money(answer.revenue, answer.currency)],
  ];
  return (
    <>
      <dl class="figures many">
        {figures.map(([name, shown]) => (
          <Figure key={name} title={name} shown={shown} figure={name} />
        ))}
      </dl>
      <p class="remark">
        First seen <time>{instantDay(answer.first_seen, zone)}</time>, last seen <time>{instantDay(answer.last_seen, zone)}</time>. The figures cover
        this period and all projects. <code>{answer.identity_id}</code>
      </p>
    </>
  );
}

function Devices({ person }: { readonly person: string }) {
  const { scope } = usePage();
  const result = useQuery(devicesQuery(scope, person));
  return (
    <Panel title="Devices and places" result={result} lines={4} sheet={({ history }) => sheetOf(history)}>
      {({ history }) => (
        <Grid
          label="Devices and places"
          empty="None"
          rows={history}
          keyOf={(row) => JSON.stringify(row)}
          columns={[
            { name: "Device", cell: ({ device, os, browser, screen }) => [device, os, browser, screen].filter(Boolean).join(", ") || NOT_SET },
            {
              name: "Place",
              cell: ({ location_city: city, location_country: country }) =>
                [city, country === null ? null : fieldValue("location_country", country)].filter(Boolean).join(", "),
            },
            { name: "Events", isNumber: true, cell: ({ events }) => <Num shown={number(events)} /> },
            { name: "Last seen", isNumber: true, cell: ({ last_seen: at }) => instantDay(at, scope.zone) },
          ]}
        />
      )}
    </Panel>
  );
}

function Referrers({ person }: { readonly person: string }) {
  const { scope } = usePage();
  const result = useQuery(referrersQuery(scope, person));
  return (
    <Panel title="Referrers" result={result} lines={3} sheet={({ referrers }) => sheetOf(referrers)}>
      {({ referrers }) => (
        <Grid
          label="Referrers"
          empty="None"
          rows={referrers}
          keyOf={({ referrer }) => referrer}
          columns={[
            { name: "Referrer", cell: ({ referrer }) => <ExternalText text={referrer} /> },
            { name: "Times", isNumber: true, cell: ({ count }) => <Num shown={number(count)} /> },
          ]}
        />
      )}
    </Panel>
  );
}

function PersonActions({ person }: { readonly person: string }) {
  const { client, token, viewState, go } = usePage();
  const [action, setAction] = useState<"export" | "erase" | null>(null);
  const close = () => setAction(null);
  if (!hasScope(token, "privacy_requests:write") || !hasScope(token, "privacy_requests:read")) return null;
  const exportNow = async () => saveFile(fileName("person", person, "ndjson"), "application/x-ndjson", await exportPerson(client, person, "gdpr"));
  const eraseNow = async () => {
    await erasePerson(client, person, "gdpr");
    go({ ...choose(viewState, "people", { person: "" }), view: "privacy" });
  };
  return (
    <>
      <Button onClick={() => setAction("export")}>Export…</Button>
      <Button onClick={() => setAction("erase")}>Erase…</Button>
      {action === "export" && (
        <Confirmation title={`Export everything about ${person}`} typed={person} action="Export" onConfirm={exportNow} onClose={close}>
          <p>
            The file contains all ids, identity records and events of <strong>{person}</strong>, in all projects. A privacy request of type
            portability is opened and resolved.
          </p>
        </Confirmation>
      )}
      {action === "erase" && (
        <Confirmation title={`Erase ${person}`} typed={person} action="Erase permanently" isDanger onConfirm={eraseNow} onClose={close}>
          <p>
            Every event, id, email and trait of <strong>{person}</strong> is removed from memory and from every file, in all projects. All numbers
            change accordingly. This cannot be undone.
          </p>
          <p class="remark">A privacy request of type erasure is opened and resolved; its receipt lists what was removed.</p>
        </Confirmation>
      )}
    </>
  );
}

function Timeline({ person, first }: { readonly person: string; readonly first: PersonSessionsAnswer }) {
  const { scope, client } = usePage();
  const [older, setOlder] = useState<PersonSessionsAnswer | null>(null);
  const { cursor } = older ?? first;
  const firstIds = new Set(first.sessions.map(({ session_id: id }) => id));
  const sessions = [...first.sessions, ...(older?.sessions ?? []).filter(({ session_id: id }) => !firstIds.has(id))];
  const load = () =>
    void client.query(personSessionsQuery(scope, person, cursor), new AbortController().signal).then(
      (answer) => setOlder((before) => ({ ...answer, sessions: [...(before?.sessions ?? []), ...answer.sessions] })),
      () => undefined,
    );
  if (sessions.length === 0) return <p class="nothing">No sessions in this period.</p>;
  return (
    <>
      <ol class="timeline">
        {sessions.map((session) => (
          <Session key={session.session_id} session={session} identity={first.identity_id} />
        ))}
      </ol>
      {cursor !== null && (
        <Button class="button older" onClick={load}>
          Older sessions
        </Button>
      )}
    </>
  );
}

function Session({ session, identity }: { readonly session: ShownSession; readonly identity: string }) {
  const { scope, token } = usePage();
  const [isOpen, setOpen] = useState(false);
  const pages = [session.entry_url, session.exit_url === session.entry_url ? null : session.exit_url].filter((url) => url !== null).join(" → ");
  const details = [session.utm_source ?? session.referrer, session.device, session.browser, session.location_city]
    .filter((text) => text !== null && text !== "")
    .join(" · ");
  return (
    <li class="moment">
      <div class="moment-head">
        <div>
          <strong>{instant(session.started_at, scope.zone)}</strong>{" "}
          <span class="faint">
            <Num shown={number(session.events)} /> {noun(session.events, "event")}, <Num shown={duration(session.duration_sec)} />
          </span>
        </div>
        {hasScope(token, "events:read") && (
          <button type="button" class="chip-add" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {isOpen ? "Less" : "Events"}
          </button>
        )}
      </div>
      {pages !== "" && <Cut class="cut-line" text={pages} />}
      {details !== "" && <Cut class="faint cut-line" text={details} />}
      {isOpen && <SessionEvents session={session} identity={identity} />}
    </li>
  );
}

function SessionEvents({ session, identity }: { readonly session: ShownSession; readonly identity: string }) {
  const { scope } = usePage();
  const result = useQuery(eventsOfPersonQuery(identity, session.project, session.started_at, session.ended_at));
  return (
    <Loaded result={result} lines={Math.min(10, session.events)}>
      {({ events }) => (
        <ol class="moment-events">
          {[...events].reverse().map(({ id, createdAt, name, url }) => (
            <li key={id}>
              <span class="faint num">{clock(createdAt, scope.zone)}</span> <span>{name}</span>{" "}
              <Cut class="faint cut" text={url} />
            </li>
          ))}
        </ol>
      )}
    </Loaded>
  );
}
