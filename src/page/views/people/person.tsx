import { devicesQuestion, personSessionsQuestion, profileQuestion, referrersQuestion } from "../../ask/questions/people.js";
import { instantDay } from "../../format/date.js";
import { duration, money, number, percent, type Shown } from "../../format/number.js";
import { sheetOf } from "../../format/sheet.js";
import { fieldValue } from "../../format/value.js";
import { Outside } from "../../parts/link.js";
import { Num } from "../../parts/number.js";
import { usePage } from "../../parts/page-context.js";
import { Panel } from "../../parts/panel.js";
import { useReply } from "../../parts/reply.js";
import { Grid } from "../../parts/table.js";
import type { ProfileAnswer } from "../../ask/answers.js";
import { PersonDeeds } from "./person-deeds.js";
import { Timeline } from "./timeline.js";

/** Everything that is known of one person, in the period. */
export function Person({ person }: { readonly person: string }) {
  const { scope } = usePage();
  const profile = useReply(profileQuestion(scope, person));
  const sessions = useReply(personSessionsQuestion(scope, person, null));
  const isKnown = profile.trouble === null;
  return (
    <>
      <Panel
        title={person}
       
        reply={profile}
        lines={4}
        head={isKnown ? <PersonDeeds person={person} /> : undefined}
        sheet={(answer) => sheetOf([answer])}
      >
        {(answer) => <Profile answer={answer} zone={scope.zone} />}
      </Panel>
      {isKnown && (
        <div class="pair person">
          <Panel title="Sessions" reply={sessions} lines={12} sheet={(answer) => sheetOf(answer.sessions)}>
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

function Profile({ answer, zone }: { readonly answer: ProfileAnswer; readonly zone: string }) {
  const figures: readonly (readonly [string, Shown])[] = [
    ["Events", number(answer.events)],
    ["Views", number(answer.pageviews)],
    ["Sessions", number(answer.sessions)],
    ["Mean length", duration(answer.duration_avg_sec)],
    ["Bounce rate", percent(answer.bounce_rate)],
    ["Active days", number(answer.active_days)],
    ["Revenue", money(answer.revenue, answer.currency)],
  ];
  return (
    <>
      <dl class="figures many">
        {figures.map(([name, shown]) => (
          <div class="figure" key={name}>
            <dt>{name}</dt>
            <dd>
              <span class="figure-number">
                <Num shown={shown} hook={name} />
              </span>
            </dd>
          </div>
        ))}
      </dl>
      <p class="remark">
        First seen <time>{instantDay(answer.first_seen, zone)}</time>, last seen <time>{instantDay(answer.last_seen, zone)}</time>. Figures are of the
        period, and of all projects. <code>{answer.identity_id}</code>
      </p>
    </>
  );
}

function Devices({ person }: { readonly person: string }) {
  const { scope } = usePage();
  const reply = useReply(devicesQuestion(scope, person));
  return (
    <Panel title="Devices and places" reply={reply} lines={4} sheet={({ history }) => sheetOf(history)}>
      {({ history }) =>
        history.length === 0 ? (
          <p class="nothing">None</p>
        ) : (
          <Grid
            label="Devices and places"
            rows={history}
            keyOf={(row) => JSON.stringify(row)}
            columns={[
              { name: "Device", cell: ({ device, os, browser, screen }) => [device, os, browser, screen].filter(Boolean).join(", ") || "(not set)" },
              {
                name: "Place",
                cell: ({ location_city: city, location_country: country }) =>
                  [city, country === null ? null : fieldValue("location_country", country)].filter(Boolean).join(", "),
              },
              { name: "Events", isNumber: true, cell: ({ events }) => <Num shown={number(events)} /> },
              { name: "Last seen", isNumber: true, cell: ({ last_seen: at }) => instantDay(at, scope.zone) },
            ]}
          />
        )
      }
    </Panel>
  );
}

function Referrers({ person }: { readonly person: string }) {
  const { scope } = usePage();
  const reply = useReply(referrersQuestion(scope, person));
  return (
    <Panel title="Came from" reply={reply} lines={3} sheet={({ referrers }) => sheetOf(referrers)}>
      {({ referrers }) =>
        referrers.length === 0 ? (
          <p class="nothing">No referrer is known.</p>
        ) : (
          <Grid
            label="Came from"
            rows={referrers}
            keyOf={({ referrer }) => referrer}
            columns={[
              { name: "Referrer", cell: ({ referrer }) => <Outside text={referrer} /> },
              { name: "Times", isNumber: true, cell: ({ count }) => <Num shown={number(count)} /> },
            ]}
          />
        )
      }
    </Panel>
  );
}
