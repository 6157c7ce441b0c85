import { useEffect, useState } from "preact/hooks";
import type { ShownEvent, SearchAnswer } from "../api/answers.js";
import { keyOf, searchQuery, eventQuery } from "../api/queries.js";
import { plural, fieldValue, fieldName, instant, instantShort } from "../format/text.js";
import { sheetOf } from "../format/sheet.js";
import { Checkbox, EventNameField, Settings } from "../parts/fields.js";
import { Empty } from "../../charts/notice.js";
import { Icon, ExternalText, ViewLink, Button, Cut, Fact, Loaded } from "../parts/inline.js";
import { usePage, useQuery, useChoices } from "../parts/page-context.js";
import { Panel } from "../parts/panel.js";
import { choose } from "../state/view-state.js";
import { canRead } from "../api/rights.js";
import { Dialog } from "../parts/dialog.js";
import { filterByValue, withFilter } from "../state/filter.js";
import { NothingHere } from "./remarks.js";
import { Grid } from "../parts/tables.js";

/** The shown fields of an event. In filters, `userId` is `user_id`. */
const FIELDS = [
  ...(["url", "hostname", "referrer", "userId", "anonymous_id", "identity_id", "company_id", "value", "currency", "external_id"] as const),
  ...(["location_country", "location_region", "location_city", "device", "os", "browser", "screen", "language"] as const),
];

function EventDialog({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const { scope } = usePage();
  const result = useQuery(eventQuery(scope, id));
  return (
    <Dialog title={result.answer?.events[0]?.name ?? "Event"} onClose={onClose} isWide>
      <Loaded result={result} lines={10}>
        {({ events: [event] }) => (event === undefined ? <Empty title="There is no such event" /> : <EventDetails event={event} />)}
      </Loaded>
    </Dialog>
  );
}

function EventDetails({ event }: { readonly event: ShownEvent }) {
  const { scope, viewState, token } = usePage();
  const person = personOf(event);
  const fields = FIELDS.flatMap((member) => {
    const [field, value] = [member === "userId" ? "user_id" : member, event[member]];
    return value === null || value === undefined || value === "" ? [] : [{ field, value: String(value) }];
  });
  const metadata = Object.entries(event.metadata);
  return (
    <>
      <dl class="facts">
        <Fact name="Time">
          {instant(event.createdAt, scope.zone)} <span class="faint">{event.createdAt}</span>
        </Fact>
        <Fact name="Id">
          <code>{event.id}</code>
        </Fact>
        {fields.map(({ field, value }) => (
          <FieldFact key={field} name={fieldName(field)} field={field} value={value} />
        ))}
      </dl>
      {metadata.length > 0 && (
        <>
          <h3>Metadata</h3>
          <dl class="facts">
            {metadata.map(([key, value]) => (
              <FieldFact key={key} name={key} field={`metadata.${key}`} value={typeof value === "string" ? value : JSON.stringify(value)} />
            ))}
          </dl>
        </>
      )}
      {person !== "" && canRead(token, "identities:read") && (
        <div class="row">
          <ViewLink class="button" to={choose(viewState, "people", { person })}>
            Show the person
          </ViewLink>
        </div>
      )}
    </>
  );
}

function FieldFact({ name, field, value }: { readonly name: string; readonly field: string; readonly value: string }) {
  const { viewState } = usePage();
  const filtered = { ...choose(viewState, "events", { open: "" }), filters: withFilter(viewState.filters, filterByValue(field, value)) };
  const isMetadata = field.startsWith("metadata.");
  return (
    <Fact name={name}>
      <ExternalText text={isMetadata ? value : fieldValue(field, value)} />{" "}
      <ViewLink class="only" to={filtered}>
        only these<span class="unseen">: {name}</span>
      </ViewLink>
    </Fact>
  );
}

export function Events() {
  const { scope, client } = usePage();
  const [{ event, open }, change] = useChoices("events");
  const query = searchQuery(scope, { event }, null);
  const result = useQuery(query);
  const [isLive, setLive] = useState(false);
  const [pages, setPages] = useState<EventPages | null>(null);
  const key = keyOf(query);
  const newest = result.isOld ? null : result.answer;
  useEffect(() => {
    if (newest !== null && (isLive || pages?.key !== key)) setPages(withNewest(pages, key, newest));
  }, [newest, isLive, key]);
  const unshown = newest === null || pages?.key !== key ? [] : newEvents(pages, newest);
  const loadOlder = () => {
    if (pages === null || pages.cursor === null) return;
    const abort = new AbortController();
    client
      .query(searchQuery(scope, { event }, pages.cursor), abort.signal)
      .then((older) => setPages((now) => withOlder(now, key, older)), result.again);
  };
  const newEventsButton = (
    <span aria-live="polite">
      {unshown.length > 0 && newest !== null && (
        <Button class="chip-add" onClick={() => setPages(withNewest(pages, key, newest))}>
          <Icon name="up" /> {plural(unshown.length, "new event")}
        </Button>
      )}
    </span>
  );
  return (
    <>
      <Settings label="Event selection">
        <EventNameField label="Event" value={event} onCommit={(name) => change({ event: name })} />
        <Checkbox label="Follow live" value={isLive} onChoose={setLive} />
      </Settings>
      <Panel title="Events" class="events-panel" result={result} lines={16} head={newEventsButton} sheet={() => sheetOf(pages?.events ?? [])}>
        {(answer) => {
          const shown = pages?.key === key ? pages : { key, events: answer.events, cursor: answer.cursor };
          if (shown.events.length === 0) return <NothingHere />;
          return (
            <>
              <EventRows events={shown.events} />
              {shown.cursor !== null && (
                <Button class="button older" onClick={loadOlder}>
                  Older events
                </Button>
              )}
            </>
          );
        }}
      </Panel>
      {open !== "" && <EventDialog id={open} onClose={() => change({ open: "" })} />}
    </>
  );
}

interface EventPages {
  readonly key: string;
  readonly events: readonly ShownEvent[];
  readonly cursor: string | null;
}

function newEvents(pages: EventPages, { events }: SearchAnswer): ShownEvent[] {
  const shownIds = new Set(pages.events.map(({ id }) => id));
  return events.filter(({ id }) => !shownIds.has(id));
}

/** Puts the newest page above the shown events; replaces them if there may be a gap, or if the query has changed. */
function withNewest(pages: EventPages | null, key: string, newest: SearchAnswer): EventPages {
  if (pages === null || pages.key !== key) return { key, events: newest.events, cursor: newest.cursor };
  const added = newEvents(pages, newest);
  if (added.length === newest.events.length) return { key, events: newest.events, cursor: newest.cursor };
  return { key, events: [...added, ...pages.events], cursor: pages.cursor };
}

function withOlder(pages: EventPages | null, key: string, older: SearchAnswer): EventPages | null {
  if (pages === null || pages.key !== key) return pages;
  return { key, events: [...pages.events, ...newEvents(pages, older)], cursor: older.cursor };
}

function EventRows({ events }: { readonly events: readonly ShownEvent[] }) {
  const { zone } = usePage().scope;
  const [, change] = useChoices("events");
  const place = ({ location_country: country, device }: ShownEvent) =>
    [country === "" ? "" : fieldValue("location_country", country), device].filter((text) => text !== "").join(", ");
  return (
    <Grid
      label="Events"
      class="event-rows"
      rows={events}
      keyOf={({ id }) => id}
      columns={[
        {
          name: "Event",
          cell: (event) => (
            <Button class="cell-button" title={event.name} onClick={() => change({ open: event.id })}>
              {event.name}
            </Button>
          ),
        },
        {
          name: "Time",
          cell: ({ createdAt }) => (
            <span class="nowrap" title={instant(createdAt, zone)}>
              {instantShort(createdAt, zone)}
            </span>
          ),
        },
        { name: "Page", cell: ({ url }) => <Cut text={url} /> },
        { name: "Person", cell: (event) => <Cut text={personOf(event)} /> },
        { name: "Place", cell: (event) => <span class="nowrap">{place(event)}</span> },
      ]}
    />
  );
}

function personOf({ userId, anonymous_id: anonymousId = "" }: ShownEvent): string {
  return userId === "" ? anonymousId : userId;
}
