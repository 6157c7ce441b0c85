import type { FoundEvent } from "../../ask/answers.js";
import { eventQuestion } from "../../ask/questions/events.js";
import { seesOthers } from "../../ask/rights.js";
import { instant } from "../../format/date.js";
import { fieldName, fieldValue } from "../../format/value.js";
import { Dialog } from "../../parts/dialog.js";
import { Outside, PictureLink } from "../../parts/link.js";
import { Empty, Skeleton, TroubleNotice } from "../../parts/notice.js";
import { usePage } from "../../parts/page-context.js";
import { useReply } from "../../parts/reply.js";
import { filterByValue, withFilter } from "../../state/filter.js";
import { choose } from "../../state/picture.js";

/** What an event calls its fields, and what filters call them. */
const FIELDS: readonly (readonly [keyof FoundEvent, string])[] = [
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

/** One event, whole. Each of its values makes a filter. */
export function EventDialog({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const { scope } = usePage();
  const { answer, trouble, again } = useReply(eventQuestion(scope, id));
  const event = answer?.events[0];
  return (
    <Dialog title={event?.name ?? "Event"} onClose={onClose} isWide>
      {trouble !== null ? (
        <TroubleNotice trouble={trouble} onAgain={again} />
      ) : answer === null ? (
        <Skeleton lines={10} />
      ) : event === undefined ? (
        <Empty title="There is no such event" />
      ) : (
        <Whole event={event} />
      )}
    </Dialog>
  );
}

function Whole({ event }: { readonly event: FoundEvent }) {
  const { scope, picture, token } = usePage();
  const person = event.userId === "" ? (event.anonymous_id ?? "") : event.userId;
  const told = FIELDS.flatMap(([member, field]) => {
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
        {told.map(({ field, value }) => (
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
      {person !== "" && seesOthers(token, "identities:read") && (
        <div class="row">
          <PictureLink class="button" to={choose({ ...picture, view: "people" }, "people", { person })}>
            Whose event this is
          </PictureLink>
        </div>
      )}
    </>
  );
}

function Fact({ name, field, value }: { readonly name: string; readonly field: string; readonly value: string }) {
  const { picture } = usePage();
  const filtered = { ...choose(picture, "events", { open: "" }), filters: withFilter(picture.filters, filterByValue(field, value)) };
  const isMetadata = field.startsWith("metadata.");
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <Outside text={isMetadata ? value : fieldValue(field, value)} />{" "}
        <PictureLink class="only" to={filtered}>
          only these<span class="unseen">: {name}</span>
        </PictureLink>
      </dd>
    </div>
  );
}
