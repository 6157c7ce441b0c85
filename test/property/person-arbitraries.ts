import type { EventInput } from "daybook";
import type { HistoryItem } from "../support/index.js";
import fc from "fast-check";
import { anonymousIds, companyIds, emails, hostnames, names, projects, referrers, urls, userIds } from "../support/random/person-values.js";

const MINUTE_MS = 60_000;
const midnightMs = Date.UTC(2026, 2, 1);

/** Few instants about a midnight, and one of another month: ties, and pauses at the edge of a session's end. */
const createdAt = fc.oneof(
  { weight: 9, arbitrary: fc.tuple(fc.integer({ min: -3, max: 5 }), fc.constantFrom(0, 0, 1)).map(([halfHours, ms]) => midnightMs + halfHours * 30 * MINUTE_MS + ms) },
  { weight: 1, arbitrary: fc.constantFrom(Date.UTC(2026, 1, 10), midnightMs + 86_400_000) },
);
/** Half of it is about one person. */
const user = fc.record({ userId: fc.oneof(fc.constant("ann"), fc.constantFrom(...userIds)) });
const device = fc.record({ anonymousId: fc.oneof(fc.constant("d1"), fc.constantFrom(...anonymousIds)) });
const both = fc.tuple(user, device).map(([one, other]) => ({ ...one, ...other }));
const somebody = fc.oneof(user, device, both);
const id = (kind: string) => fc.integer({ min: 0, max: 1_000_000 }).map((number) => `${kind} ${number}`);

/** An event of somebody; its amount is whole, in the reporting currency, so that sums of what is shown are exact. */
export const event: fc.Arbitrary<EventInput> = fc
  .tuple(
    somebody,
    fc.record({ id: id("event"), name: fc.constantFrom(...names), createdAt, project: fc.constantFrom(...projects) }),
    fc.record(
      {
        companyId: fc.constantFrom(...companyIds),
        value: fc.integer({ min: -5, max: 20 }),
        externalId: fc.constantFrom("o1", "o2"),
        url: fc.constantFrom(...urls),
        hostname: fc.constantFrom(...hostnames),
        referrer: fc.constantFrom(...referrers),
        metadata: fc.record({ utm_source: fc.constantFrom("news", "", "mail"), utm_campaign: fc.constantFrom("spring") }, { requiredKeys: [] }),
      },
      { requiredKeys: [] },
    ),
  )
  .map(([who, what, rest]) => ({ ...who, ...what, ...rest }));

/** A record about identities. */
export const record: fc.Arbitrary<HistoryItem> = fc.oneof(
  fc.tuple(somebody, fc.record({ id: id("record"), createdAt }), fc.record({ email: fc.constantFrom(...emails) }, { requiredKeys: [] }))
    .map(([who, moment, email]) => ({ identify: { ...moment, ...who, ...email } })),
  fc.tuple(somebody, fc.record({ id: id("record"), createdAt, companyId: fc.constantFrom(...companyIds) }))
    .map(([who, rest]) => ({ group: { ...rest, ...who } })),
  fc.record({ id: id("record"), createdAt, from: fc.constantFrom(...userIds, ...anonymousIds), to: fc.constantFrom(...userIds) })
    .map((alias) => ({ alias })),
);

/** Events and records, no id twice. */
export const people: fc.Arbitrary<HistoryItem[]> = fc.uniqueArray(fc.oneof({ weight: 2, arbitrary: event }, { weight: 1, arbitrary: record }), {
  selector: (item) => idOf(item),
  maxLength: 25,
});

/** Any id or email that a history may know. */
export const person = fc.oneof(
  fc.record({ userId: fc.constantFrom(...userIds, ...anonymousIds) }),
  fc.record({ email: fc.constantFrom(...emails) }),
);

/** The id of an event or a record. */
export function idOf(item: HistoryItem): string {
  const object = "identify" in item ? item.identify : "group" in item ? item.group : "alias" in item ? item.alias : item;
  return "id" in object ? (object.id ?? "") : "";
}
