import { useEffect, useState } from "preact/hooks";
import type { ShownEvent, SearchAnswer } from "../../ask/answers.js";
import { keyOf } from "../../ask/page-query.js";
import { searchQuery, eventQuery } from "../../ask/queries/people.js";
import { plural, fieldValue, fieldName } from "../../format/value.js";
import { sheetOf } from "../../format/sheet.js";
import { Checkbox, FieldRow, TextField, useEventNames } from "../../parts/field.js";
import { Icon, ExternalText, ViewLink } from "../../parts/inline.js";
import { usePage, useQuery } from "../../parts/page-context.js";
import { Panel } from "../../parts/panel.js";
import { choose } from "../../state/view-state.js";
import { instant, instantShort } from "../../format/date.js";
import { canRead } from "../../ask/rights.js";
import { Dialog } from "../../parts/dialog.js";
import { Empty, Skeleton, ErrorNotice } from "../../parts/notice.js";
import { filterByValue, withFilter } from "../../state/filter.js";
import { NothingHere } from "../remarks.js";

/** Names of the fields in an event, and in filters. */
const FIELDS: readonly (readonly [keyof ShownEvent, string])[] = [
  ["url", "url"],
  ["hostname", "hostname"],
  ["referrer", "referrer"],
  ["userId", "user_id"],
  ["anonymous_id", "anonymous_id"],
  ["identity_id", "identity_id"],
  ["company_id", "company_id"],
  ["value", "value"],
  ["currency", "currency"],
  ["external_id", "external_id"],
  ["location_country", "location_country"],
  ["location_region", "location_region"],
  ["location_city", "location_city"],
  ["device", "device"],
  ["os", "os"],
  ["browser", "browser"],
  ["screen", "screen"],
  ["language", "language"],
];

/** A single event with all its fields. Each value can be turned into a filter. */
function EventDialog({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const { scope } = usePage();
  const { answer, error, again } = useQuery(eventQuery(scope, id));
  const event = answer?.events[0];
  return (
    <Dialog title={event?.name ?? "Event"} onClose={onClose} isWide>
      {error !== null ? (
        <ErrorNotice error={error} onAgain={again} />
      ) : answer === null ? (
        <Skeleton lines={10} />
      ) : event === undefined ? (
        <Empty title="There is no such event" />
      ) : (
        <EventDetails event={event} />
      )}
    </Dialog>
  );
}

function EventDetails({ event }: { readonly event: ShownEvent }) {
  const { scope, viewState, token } = usePage();
  const person = event.userId === "" ? (event.anonymous_id ?? "") : event.userId;
  const fields = FIELDS.flatMap(([member, field]) => {
    const value = event[member];
    return value === null || value === undefined || value === "" ? [] : [{ field, value: String(value) }];
  });
  const metadata = Object.entries(event.metadata);
  return (
    <>
      <dl class="facts">
        <div>
          <dt>Time</dt>
          <dd>
            {instant(event.createdAt, scope.zone)} <span class="faint">{event.createdAt}</span>
          </dd>
        </div>
        <div>
          <dt>Id</dt>
          <dd>
            <code>{event.id}</code>
          </dd>
        </div>
        {fields.map(({ field, value }) => (
          <Fact key={field} name={fieldName(field)} field={field} value={value} />
        ))}
      </dl>
      {metadata.length > 0 && (
        <>
          <h3>Metadata</h3>
          <dl class="facts">
            {metadata.map(([key, value]) => (
              <Fact key={key} name={key} field={`metadata.${key}`} value={typeof value === "string" ? value : JSON.stringify(value)} />
            ))}
          </dl>
        </>
      )}
      {person !== "" && canRead(token, "identities:read") && (
        <div class="row">
          <ViewLink class="button" to={choose({ ...viewState, view: "people" }, "people", { person })}>
            Show the person
          </ViewLink>
        </div>
      )}
    </>
  );
}

function Fact({ name, field, value }: { readonly name: string; readonly field: string; readonly value: string }) {
  const { viewState } = usePage();
  const filtered = { ...choose(viewState, "events", { open: "" }), filters: withFilter(viewState.filters, filterByValue(field, value)) };
  const isMetadata = field.startsWith("metadata.");
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <ExternalText text={isMetadata ? value : fieldValue(field, value)} />{" "}
        <ViewLink class="only" to={filtered}>
          only these<span class="unseen">: {name}</span>
        </ViewLink>
      </dd>
    </div>
  );
}

/** A list of events, which can be filtered, followed live, and opened. */
export function Events() {
  const { viewState, scope, client, go } = usePage();
  const { event, open } = viewState.choices.events;
  const query = searchQuery(scope, { event }, null);
  const result = useQuery(query);
  const names = useEventNames();
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
  const openEvent = (found: ShownEvent) => go(choose(viewState, "events", { open: found.id }));
  const newEventsButton = (
    <span aria-live="polite">
      {unshown.length > 0 && newest !== null && (
        <button type="button" class="chip-add" onClick={() => setPages(withNewest(pages, key, newest))}>
          <Icon name="up" /> {plural(unshown.length, "new event")}
        </button>
      )}
    </span>
  );
  return (
    <>
      <section class="panel choices-panel" aria-label="Event selection">
        <FieldRow>
          <TextField
            label="Event"
            value={event}
            suggestions={names}
            placeholder="any event"
            onCommit={(name) => go(choose(viewState, "events", { event: name }))}
          />
          <Checkbox label="Follow live" value={isLive} onChoose={setLive} />
        </FieldRow>
      </section>
      <Panel title="Events" class="events-panel" result={result} lines={16} head={newEventsButton} sheet={() => sheetOf(pages?.events ?? [])}>
        {(answer) => {
          const shown = pages?.key === key ? pages : { key, events: answer.events, cursor: answer.cursor };
          if (shown.events.length === 0) return <NothingHere />;
          return (
            <>
              <EventRows events={shown.events} zone={scope.zone} onOpen={openEvent} />
              {shown.cursor !== null && (
                <button type="button" class="button older" onClick={loadOlder}>
                  Older events
                </button>
              )}
            </>
          );
        }}
      </Panel>
      {open !== "" && <EventDialog id={open} onClose={() => go(choose(viewState, "events", { open: "" }))} />}
    </>
  );
}

/** The shown events of a query: its first page, and pages loaded later. */
interface EventPages {
  readonly key: string;
  readonly events: readonly ShownEvent[];
  readonly cursor: string | null;
}

/** Events of the newest page that are not shown yet. */
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

interface EventRowsProps {
  readonly events: readonly ShownEvent[];
  readonly zone: string;
  readonly onOpen: (event: ShownEvent) => void;
}

/** Events as rows; each opens with all its fields. */
function EventRows({ events, zone, onOpen }: EventRowsProps) {
  return (
    <div class="scroll" tabIndex={0} role="group" aria-label="Events">
      <table class="grid event-rows">
        <thead>
          <tr>
            <th scope="col">Event</th>
            <th scope="col">Time</th>
            <th scope="col">Page</th>
            <th scope="col">Who</th>
            <th scope="col">Where</th>
          </tr>
        </thead>
        <tbody>
          {events.map((event) => (
            <tr key={event.id}>
              <th scope="row">
                <button type="button" class="cell-button" title={event.name} onClick={() => onOpen(event)}>
                  {event.name}
                </button>
              </th>
              <td class="nowrap" title={instant(event.createdAt, zone)}>
                {instantShort(event.createdAt, zone)}
              </td>
              <td>
                <span class="cut" title={event.url}>
                  {event.url}
                </span>
              </td>
              <td>
                <span class="cut" title={personOf(event)}>
                  {personOf(event)}
                </span>
              </td>
              <td class="nowrap">
                {[event.location_country === "" ? "" : fieldValue("location_country", event.location_country), event.device]
                  .filter((text) => text !== "")
                  .join(", ")}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function personOf({ userId, anonymous_id: anonymousId = "" }: ShownEvent): string {
  return userId === "" ? anonymousId : userId;
}
