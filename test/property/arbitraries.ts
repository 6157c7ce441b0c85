import type { CountEventsInput, EventInput, FilterInput } from "daybook";
import fc from "fast-check";
import { anonymousIds, eventNames, nastyTexts, projects, referrers, shortTexts, urls, userIds } from "../support/random/nasty-values.js";

const midnightMs = Date.UTC(2026, 2, 1);
const DAY_MS = 86_400_000;

const scalar = fc.oneof(fc.constantFrom(...nastyTexts), fc.constantFrom("", null, true, false, 0, 3, -1.5, 1e21));
const json = fc.oneof(
  { weight: 4, arbitrary: scalar },
  { weight: 1, arbitrary: fc.array(scalar, { maxLength: 3 }) },
  { weight: 1, arbitrary: fc.dictionary(fc.constantFrom("b", "c"), scalar, { maxKeys: 2 }) },
);

/** Milliseconds that tie, and that lie on both sides of midnight. */
export const createdAt = fc
  .tuple(fc.integer({ min: -1, max: 2 }), fc.constantFrom(-1, 0, 1, 3_600_000, 50_000_000))
  .map(([days, ms]) => midnightMs + days * DAY_MS + ms);

const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: null, freq: 4 });

/** An event with an id and a past createdAt; everything else may be missing, null or empty. */
export const event: fc.Arbitrary<EventInput> = fc.record(
  {
    id: fc.integer({ min: 0, max: 1_000_000 }).map((number) => `event ${number}`),
    name: fc.constantFrom(...eventNames),
    createdAt,
    userId: maybe(fc.constantFrom(...userIds, "")),
    anonymousId: maybe(fc.constantFrom(...anonymousIds, "")),
    project: maybe(fc.constantFrom(...projects)),
    browser: maybe(fc.constantFrom(...shortTexts, "")),
    locationCity: maybe(fc.constantFrom(...nastyTexts)),
    referrer: maybe(fc.constantFrom(...referrers)),
    url: maybe(fc.constantFrom(...urls)),
    metadata: fc.record(
      {
        plan: json,
        word: fc.constantFrom("a", "A", "", null, "\uFF5E", "\u{1F600}", "é", true, 3, -1.5, "true", "[1]", "a,b"),
        "a.b": scalar,
        a: fc.dictionary(fc.constantFrom("b", "c"), scalar, { maxKeys: 2 }),
      },
      { requiredKeys: [] },
    ),
  },
  { requiredKeys: ["id", "name", "createdAt"] },
);

/** Events whose ids are distinct. */
export const history = fc.uniqueArray(event, { selector: ({ id }) => id, maxLength: 30 });

export const fieldName = fc.constantFrom(
  "name", "userId", "url", "path", "browser", "location_city", "referrer", "referrer_domain", "project", "createdAt", "id",
  "slug", "notify", "identity_id", "metadata.plan", "metadata.a.b", "metadata.a", "word", "missing",
);

const text = fc.constantFrom(...nastyTexts, ...shortTexts, ...urls, ...userIds);
const bound = fc.constantFrom("3", "-1.5", "1000", "2026-03-01", "2026-03-01T00:00:00.001Z");

/** A filter and its exact complement. */
export const complements: fc.Arbitrary<readonly [FilterInput, FilterInput]> = fc.oneof(
  pair("=", "!=", fc.oneof(text, fc.constant(""))),
  pair("contains", "not_contains", text),
  pair("starts_with", "not_starts_with", text),
  pair("ends_with", "not_ends_with", text),
  pair("in", "not_in", fc.array(text, { minLength: 1, maxLength: 3 }).map((items) => JSON.stringify(items))),
  pair("regex", "not_regex", fc.constantFrom("^a", "$", "^$", "[A-Z]", "(?i)A", "\\d", ".")),
  pair("between", "not_between", fc.constantFrom("0,3", "3,0", "2026-03-01,2026-03-01", "2026-03-02,2026-03-01")),
  pair("is_set", "is_not_set", fc.constant(undefined)),
);

function pair(operator: string, complement: string, value: fc.Arbitrary<string | undefined>) {
  return fc.tuple(fieldName, value).map(([name, given]) => {
    const filter = { fieldName: name, value: given };
    return [{ ...filter, operator }, { ...filter, operator: complement }] as const;
  });
}

/** A scope with any of project, name, dates and filters. */
export const scope: fc.Arbitrary<CountEventsInput> = fc.record(
  {
    project: fc.constantFrom(...projects, null),
    eventName: fc.constantFrom(...eventNames, null),
    startDate: fc.constantFrom("2026-02-28", "2026-03-01T00:00:00.001Z", null),
    endDate: fc.constantFrom("2026-03-02", "2026-03-01T23:59:59.999Z", null),
    filterGroups: fc.array(
      fc.record({
        filters: fc.array(fc.oneof(complements.map(([filter]) => filter), ordered()), { maxLength: 2 }),
      }),
      { maxLength: 2 },
    ),
  },
  { requiredKeys: [] },
);

function ordered(): fc.Arbitrary<FilterInput> {
  return fc.record({ fieldName, operator: fc.constantFrom(">", ">=", "<", "<="), value: bound });
}
