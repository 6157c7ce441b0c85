import type { Daybook, DaybookError, FilterGroupInput, Segment, SegmentCondition } from "daybook";
import { expect } from "vitest";
import { codeAndParam, example } from "./example.js";

const IN: readonly FilterGroupInput[] = [{ filters: [{ fieldName: "identity_id", operator: "in_segment", value: "them" }] }];
const NOT_IN: readonly FilterGroupInput[] = [{ filters: [{ fieldName: "identity_id", operator: "not_in_segment", value: "them" }] }];
const BUYERS: Segment = { groups: [{ conditions: [{ type: "did", eventName: "buy" }] }] };

/** The user ids in the segment of people who meet all conditions. */
const who = (daybook: Daybook, ...conditions: readonly SegmentCondition[]) => usersOf(daybook, { groups: [{ conditions }] });
async function usersOf(daybook: Daybook, them: Segment): Promise<readonly string[]> {
  const items = await daybook.aggregate({ field: "user_id", filterGroups: IN, segments: { them } });
  return items.map(({ property }) => property).sort();
}

example(
  "A segment selects all events of the people in it, including events before they qualified.",
  `
  03-02 09:00 ann view
  03-03 09:00 ann buy
  03-02 09:00 bob view
  `,
  (daybook) => daybook.aggregate({ field: "event_name", filterGroups: IN, segments: { them: BUYERS } }),
  [
    { property: "buy", count: 1 },
    { property: "view", count: 1 },
  ],
);

example(
  "An empty segment matches no events.",
  `
  03-02 09:00 ann view
  `,
  (daybook) => daybook.aggregate({ field: "event_name", filterGroups: IN, segments: { them: BUYERS } }),
  [],
);

example(
  "A condition without an event name and filters matches any event.",
  `
  03-02 09:00 ann view
  03-02 09:00 bob buy
  03-03 09:00 bob buy
  `,
  async (daybook) => [await who(daybook, { type: "did" }), await who(daybook, { type: "did", atLeast: 2 }), await who(daybook, { type: "did_not" })],
  [["ann", "bob"], ["bob"], []],
);

example(
  "The minimum and maximum number of events are inclusive.",
  `
  03-02 09:00 ann buy
  03-02 09:00 bob buy
  03-03 09:00 bob buy
  03-02 09:00 cleo buy
  03-03 09:00 cleo buy
  03-04 09:00 cleo buy
  03-02 09:00 dan view
  `,
  async (daybook) => [
    await who(daybook, { type: "did", eventName: "buy", atLeast: 2 }),
    await who(daybook, { type: "did", eventName: "buy", atLeast: 2, atMost: 2 }),
    await who(daybook, { type: "did", eventName: "buy", atMost: 2 }),
  ],
  [["bob", "cleo"], ["bob"], ["ann", "bob"]],
);

example(
  "A condition with only a maximum still requires at least one event.",
  `
  03-02 09:00 ann view
  03-02 09:00 bob buy
  `,
  async (daybook) => [
    await who(daybook, { type: "did", eventName: "buy", atMost: 2 }),
    await who(daybook, { type: "did_not", eventName: "buy" }),
  ],
  [["bob"], ["ann"]],
);

example(
  "Filters restrict the events of a condition, and at least one of their groups must match.",
  `
  03-02 09:00 ann buy plan=pro
  03-02 09:00 bob buy plan=free
  03-02 09:00 cleo buy plan=team
  03-02 09:00 dan view plan=pro
  `,
  (daybook) =>
    who(daybook, {
      type: "did",
      eventName: "buy",
      filterGroups: [
        { filters: [{ fieldName: "plan", operator: "=", value: "pro" }] },
        { filters: [{ fieldName: "plan", operator: "=", value: "team" }] },
      ],
    }),
  ["ann", "cleo"],
);

example(
  "The condition did_not matches people without any such event in the window.",
  `
  03-02 09:00 ann buy
  03-10 09:00 bob buy
  03-10 09:00 cleo view
  `,
  async (daybook) => [
    await who(daybook, { type: "did_not", eventName: "buy" }),
    await who(daybook, { type: "did_not", eventName: "buy", startDate: "2026-03-05" }),
    await who(daybook, { type: "did_not", startDate: "2026-03-05" }),
  ],
  [["cleo"], ["ann", "cleo"], ["ann"]],
);

example(
  "The condition did_not ignores events that do not match its filters.",
  `
  03-02 09:00 ann buy plan=pro
  03-02 09:00 bob buy plan=free
  `,
  (daybook) =>
    who(daybook, { type: "did_not", eventName: "buy", filterGroups: [{ filters: [{ fieldName: "plan", operator: "=", value: "pro" }] }] }),
  ["bob"],
);

example(
  "A window of dates includes both days, and either side may be open.",
  `
  03-01 23:59:59.999 ann buy
  03-02 00:00 bob buy
  03-03 23:59:59.999 cleo buy
  03-04 00:00 dan buy
  `,
  async (daybook) => [
    await who(daybook, { type: "did", startDate: "2026-03-02", endDate: "2026-03-03" }),
    await who(daybook, { type: "did", startDate: "2026-03-02" }),
    await who(daybook, { type: "did", endDate: "2026-03-03" }),
  ],
  [
    ["bob", "cleo"],
    ["bob", "cleo", "dan"],
    ["ann", "bob", "cleo"],
  ],
);

example(
  "A window of times includes both bounds.",
  `
  03-02 08:59:59.999 ann buy
  03-02 09:00 bob buy
  03-02 10:00 cleo buy
  03-02 10:00:00.001 dan buy
  `,
  (daybook) => who(daybook, { type: "did", startDate: "2026-03-02T10:00:00+01:00", endDate: new Date("2026-03-02T10:00:00Z") }),
  ["bob", "cleo"],
);

example(
  "The last day is the 24 hours before now, both ends included, not a calendar day.",
  `
  03-19 11:59:59.999 ann buy
  03-19 12:00 bob buy
  03-20 12:00 cleo buy
  03-20 12:00:00.001 dan buy
  `,
  (daybook) => who(daybook, { type: "did", lastDays: 1 }),
  ["bob", "cleo"],
);

example(
  "The dates of a window follow the query's time zone: 23:30 UTC is the next day in Berlin.",
  `
  03-01 23:30 ann buy
  03-02 12:00 bob buy
  `,
  async (daybook) => {
    const segments = { them: { groups: [{ conditions: [{ type: "did", startDate: "2026-03-02" }] }] } } as const;
    const people = async (timeZone: string) => {
      const measure = { type: "unique_users" } as const;
      return (await daybook.trend({ measure, interval: "total", filterGroups: IN, segments, timeZone })).series[0]?.total;
    };
    return [await people("Europe/Berlin"), await people("UTC"), await daybook.countUniqueUsers({ filterGroups: IN, segments })];
  },
  [2, 1, 1],
);

example(
  "The day on which daylight saving time begins in New York has 23 hours, from 05:00 to 04:00 UTC.",
  `
  03-08 04:59:59.999 ann buy
  03-08 05:00 bob buy
  03-09 03:59:59.999 cleo buy
  03-09 04:00 dan buy
  `,
  async (daybook) => {
    const { series } = await daybook.trend({
      interval: "total",
      timeZone: "America/New_York",
      breakdown: { fields: ["user_id"] },
      filterGroups: IN,
      segments: { them: { groups: [{ conditions: [{ type: "did", startDate: "2026-03-08", endDate: "2026-03-08" }] }] } },
    });
    return series.map(({ values }) => values[0]);
  },
  ["bob", "cleo"],
);

example(
  "First seen is the time of a person's first event of all time, and last seen that of the last one.",
  `
  02-10 09:00 ann view
  03-10 09:00 ann view
  03-11 09:00 bob view
  02-11 09:00 cleo view
  `,
  async (daybook) => [
    await who(daybook, { type: "first_seen", startDate: "2026-03-01" }),
    await who(daybook, { type: "last_seen", endDate: "2026-02-28" }),
    await who(daybook, { type: "last_seen", lastDays: 30 }),
  ],
  [["bob"], ["cleo"], ["ann", "bob"]],
);

example(
  "A person must meet all conditions of at least one group.",
  `
  03-02 09:00 ann view
  03-02 09:01 ann buy
  03-02 09:00 bob view
  03-02 09:00 cleo buy
  03-02 09:00 dan login
  `,
  (daybook) =>
    usersOf(daybook, {
      groups: [
        { conditions: [{ type: "did", eventName: "view" }, { type: "did", eventName: "buy" }] },
        { conditions: [{ type: "did", eventName: "login" }] },
      ],
    }),
  ["ann", "dan"],
);

example(
  "Several conditions on the same event name can be met by different events.",
  `
  03-02 09:00 ann buy plan=free
  03-10 09:00 ann buy plan=pro
  03-10 09:00 bob buy plan=free
  `,
  (daybook) =>
    who(
      daybook,
      { type: "did", eventName: "buy", filterGroups: [{ filters: [{ fieldName: "plan", operator: "=", value: "free" }] }] },
      { type: "did", eventName: "buy", filterGroups: [{ filters: [{ fieldName: "plan", operator: "=", value: "pro" }] }] },
    ),
  ["ann"],
);

example(
  "Traits are compared like filters: latest value, numbers as numbers, lists by any item.",
  `
  03-01 09:00 ann identify plan=free seats=3 tags=["a","b"]
  03-02 09:00 ann identify plan=pro
  03-01 09:00 bob identify plan=free seats=10 tags=["c"]
  03-03 09:00 ann view
  03-03 09:00 bob view
  `,
  async (daybook) => [
    await who(daybook, { type: "trait", field: "plan", operator: "=", value: "free" }),
    await who(daybook, { type: "trait", field: "seats", operator: ">", value: 3 }),
    await who(daybook, { type: "trait", field: "seats", operator: "=", value: "3.0" }),
    await who(daybook, { type: "trait", field: "tags", operator: "in", value: ["b", "z"] }),
  ],
  [["bob"], ["bob"], ["ann"], ["ann"]],
);

example(
  "A person without the trait matches negated operators and is_not_set, and null unsets a trait.",
  `
  03-01 09:00 ann identify plan=pro
  03-01 09:00 bob identify plan=pro
  03-02 09:00 bob identify plan=null
  03-03 09:00 ann view
  03-03 09:00 bob view
  03-03 09:00 cleo view
  `,
  async (daybook) => [
    await who(daybook, { type: "trait", field: "plan", operator: "is_set" }),
    await who(daybook, { type: "trait", field: "plan", operator: "is_not_set" }),
    await who(daybook, { type: "trait", field: "plan", operator: "!=", value: "pro" }),
  ],
  [["ann"], ["bob", "cleo"], ["bob", "cleo"]],
);

example(
  "A dot reads a nested trait, and email is the latest email in lower case.",
  `
  03-01 09:00 ann identify email=Ann@Acme.example address={"city":"Berlin"}
  03-01 09:00 bob identify email=bob@globex.example address={"city":"Paris"}
  03-02 09:00 bob identify email=bob@acme.example
  03-03 09:00 ann view
  03-03 09:00 bob view
  `,
  async (daybook) => [
    await who(daybook, { type: "trait", field: "address.city", operator: "=", value: "Berlin" }),
    await who(daybook, { type: "trait", field: "email", operator: "=", value: "ann@acme.example" }),
    await who(daybook, { type: "trait", field: "email", operator: "ends_with", value: "@acme.example" }),
  ],
  [["ann"], ["ann"], ["ann", "bob"]],
);

example(
  "A company condition compares the person's latest company, by id or by trait.",
  `
  03-01 09:00 ann group:acme tier=gold
  03-01 09:00 bob group:acme
  03-01 09:00 cleo group:globex tier=silver
  03-02 09:00 ann view
  03-02 09:00 bob view
  03-02 09:00 cleo view
  03-03 09:00 bob group:globex
  `,
  async (daybook) => [
    await who(daybook, { type: "company", operator: "=", value: "acme" }),
    await who(daybook, { type: "company", operator: "=", value: "globex" }),
    await who(daybook, { type: "company", field: "tier", operator: "in", value: "gold,bronze" }),
  ],
  [["ann"], ["bob", "cleo"], ["ann"]],
);

example(
  "A company on a person's last event is the latest company, and a person without one has no company.",
  `
  03-01 09:00 ann group:acme
  03-02 09:00 ann view company=globex
  03-02 09:00 bob view
  `,
  async (daybook) => [
    await who(daybook, { type: "company", operator: "=", value: "globex" }),
    await who(daybook, { type: "company", operator: "is_not_set" }),
    await who(daybook, { type: "company", operator: "!=", value: "globex" }),
  ],
  [["ann"], ["bob"], ["bob"]],
);

example(
  "The operators in_segment and not_in_segment are complements, and events without an identity are in no segment.",
  `
  03-02 09:00 ann view
  03-02 09:01 ann buy
  03-02 09:02 bob view
  03-02 09:03 - buy
  `,
  async (daybook) => [
    await daybook.countEvents({ filterGroups: IN, segments: { them: BUYERS } }),
    await daybook.countEvents({ filterGroups: NOT_IN, segments: { them: BUYERS } }),
    await daybook.countEvents(),
  ],
  [2, 2, 4],
);

example(
  "A segment filter can be combined with other filters and segments.",
  `
  03-02 09:00 ann view
  03-02 09:01 ann buy
  03-02 09:00 bob view
  03-02 09:01 bob buy
  03-02 09:02 bob return
  03-02 09:00 cleo view
  `,
  (daybook) =>
    daybook.aggregate({
      field: "user_id",
      filterGroups: [
        {
          filters: [
            { fieldName: "event_name", operator: "=", value: "view" },
            { fieldName: "identity_id", operator: "in_segment", value: "buyers" },
            { fieldName: "identity_id", operator: "not_in_segment", value: "unhappy" },
          ],
        },
      ],
      segments: { buyers: BUYERS, unhappy: { groups: [{ conditions: [{ type: "did", eventName: "return" }] }] } },
    }),
  [{ property: "ann", count: 1 }],
);

example(
  "The query's event name, dates and filters restrict the events counted, but not the people in the segment.",
  `
  02-10 09:00 ann buy country=DE
  03-02 09:00 ann view country=FR
  03-02 09:00 bob view country=FR
  `,
  (daybook) =>
    daybook.aggregate({
      field: "user_id",
      eventName: "view",
      startDate: "2026-03-01",
      filterGroups: [{ filters: [...(IN[0]?.filters ?? []), { fieldName: "country", operator: "=", value: "FR" }] }],
      segments: { them: BUYERS },
    }),
  [{ property: "ann", count: 1 }],
);

example(
  "With a project, a segment considers only events in that project; otherwise it considers all events.",
  `
  03-02 09:00 ann view project=shop
  03-02 09:01 ann buy project=shop
  03-02 09:00 bob view project=shop
  03-02 09:01 bob buy project=market
  `,
  async (daybook) => [
    await daybook.countUniqueUsers({ project: "shop", filterGroups: IN, segments: { them: BUYERS } }),
    await daybook.countUniqueUsers({ filterGroups: IN, segments: { them: BUYERS } }),
  ],
  [1, 2],
);

example(
  "With a project, first seen considers only events in that project.",
  `
  01-10 09:00 ann view project=blog
  03-02 09:00 ann view project=shop
  `,
  async (daybook) => {
    const segments = { them: { groups: [{ conditions: [{ type: "first_seen", startDate: "2026-03-01" }] }] } } as const;
    return [
      await daybook.countEvents({ project: "shop", filterGroups: IN, segments }),
      await daybook.countEvents({ filterGroups: IN, segments }),
    ];
  },
  [1, 0],
);

example(
  "A visitor's events before the sign-up count for the user.",
  `
  03-02 09:00 ~phone view
  03-03 09:00 ann~phone signup
  03-04 09:00 ann view
  03-04 09:00 bob view
  `,
  (daybook) =>
    daybook.countEvents({ filterGroups: IN, segments: { them: { groups: [{ conditions: [{ type: "did", eventName: "view", atLeast: 2 }] }] } } }),
  3,
);

example(
  "The events of merged users count together until the merge is undone.",
  `
  03-02 09:00 ann view
  03-03 09:00 anna buy
  03-10 09:00 anna alias:ann id=00000000-0000-4000-8000-000000000001
  `,
  async (daybook) => {
    const merged = await usersOf(daybook, BUYERS);
    await daybook.unlink("00000000-0000-4000-8000-000000000001");
    return [merged, await usersOf(daybook, BUYERS)];
  },
  [["ann", "anna"], ["anna"]],
);

example(
  "An event sent twice with the same id counts once.",
  `
  03-02 09:00 ann buy id=b1
  03-02 09:00 ann buy id=b1
  03-02 09:00 bob buy
  03-02 09:01 bob buy
  `,
  (daybook) => who(daybook, { type: "did", eventName: "buy", atLeast: 2 }),
  ["bob"],
);

example(
  "Insights accept segments: a trend of the people who bought.",
  `
  03-02 09:00 ann view
  03-03 09:00 ann buy
  03-02 09:00 bob view
  `,
  (daybook) => daybook.trend({ startDate: "2026-03-02", endDate: "2026-03-03", filterGroups: IN, segments: { them: BUYERS } }),
  {
    definition: expect.any(String),
    asOf: null,
    buckets: [
      { start: "2026-03-02T00:00:00.000Z", end: "2026-03-02T23:59:59.999Z", local: "2026-03-02", partial: false },
      { start: "2026-03-03T00:00:00.000Z", end: "2026-03-03T23:59:59.999Z", local: "2026-03-03", partial: false },
    ],
    series: [{ values: [], counted: 2, total: 2, data: [1, 1] }],
    rest: null,
    valueCount: 0,
    unconverted: [],
    previous: null,
    currency: null,
  },
);

example(
  "A funnel step can filter by segment.",
  `
  03-02 09:00 ann view
  03-02 09:01 ann buy
  03-02 09:00 bob view
  03-02 09:01 bob buy
  03-03 09:00 bob return
  `,
  async (daybook) => {
    const { steps } = await daybook.funnel({
      steps: [{ eventName: "view" }, { eventName: "buy", filterGroups: NOT_IN }],
      segments: { them: { groups: [{ conditions: [{ type: "did", eventName: "return" }] }] } },
    });
    return steps.map(({ entities }) => entities);
  },
  [2, 1],
);

example(
  "Each page of a search evaluates the segment again.",
  `
  03-01 09:00 bob view
  03-02 09:00 ann view
  03-03 09:00 ann buy
  `,
  async (daybook) => {
    const search = { filterGroups: IN, segments: { them: BUYERS } };
    const first = await daybook.searchEvents({ ...search, limit: 1 });
    await daybook.ingest([{ name: "buy", userId: "bob", createdAt: "2026-03-04T09:00:00Z" }]);
    const second = await daybook.searchEvents({ ...search, cursor: first.cursor });
    return [first, second].map(({ events }) => events.map(({ userId, name }) => `${userId} ${name}`));
  },
  [["ann buy"], ["ann view", "bob view"]],
);

example(
  "A saved segment can be used in any query and follows the query's project and time zone.",
  `
  03-02 09:00 ann buy project=shop
  03-02 09:00 bob view project=shop
  03-02 09:00 bob buy project=market
  `,
  async (daybook) => {
    const saved = await daybook.segments.put("them", BUYERS);
    return [saved, await daybook.countUniqueUsers({ project: "shop", filterGroups: IN }), await daybook.countUniqueUsers({ filterGroups: IN })];
  },
  [{ name: "them", groups: [{ conditions: [{ type: "did", eventName: "buy" }] }] }, 1, 2],
);

example(
  "A saved segment is evaluated for each query, so people who qualify later are included.",
  `
  03-02 09:00 ann buy
  03-02 09:00 bob view
  `,
  async (daybook) => {
    await daybook.segments.put("them", BUYERS);
    const before = await daybook.countUniqueUsers({ filterGroups: IN });
    await daybook.ingest([{ name: "buy", userId: "bob", createdAt: "2026-03-03T09:00:00Z" }]);
    return [before, await daybook.countUniqueUsers({ filterGroups: IN })];
  },
  [1, 2],
);

example(
  "Saved segments are listed by name, and saving an existing name replaces it.",
  `
  03-02 09:00 ann buy
  `,
  async (daybook) => {
    await daybook.segments.put("b", BUYERS);
    await daybook.segments.put("a", BUYERS);
    await daybook.segments.put("b", { groups: [{ conditions: [{ type: "did_not", eventName: "buy" }] }] });
    return daybook.segments.list();
  },
  [
    { name: "a", groups: [{ conditions: [{ type: "did", eventName: "buy" }] }] },
    { name: "b", groups: [{ conditions: [{ type: "did_not", eventName: "buy" }] }] },
  ],
);

example(
  "Deleting a segment returns whether it existed, and queries that use it are then codeAndParam.",
  `
  03-02 09:00 ann buy
  `,
  async (daybook) => {
    await daybook.segments.put("them", BUYERS);
    return [
      await daybook.segments.delete("them"),
      await daybook.segments.delete("them"),
      await daybook.countEvents({ filterGroups: IN }).catch(codeAndParam),
    ];
  },
  [true, false, ["invalid_filter_value", "filterGroups[0].filters[0].value"]],
);

example(
  "A segment name that is both saved and defined in the query is codeAndParam.",
  `
  03-02 09:00 ann buy
  `,
  async (daybook) => {
    await daybook.segments.put("them", BUYERS);
    return daybook.countEvents({ filterGroups: IN, segments: { them: BUYERS } }).catch(({ code }: DaybookError) => code);
  },
  "invalid_parameter",
);

example(
  "An erasure deletes saved segments that contain an id or email of the person as a value or list item.",
  `
  03-01 09:00 ann identify email=ann@example.com
  03-02 09:00 ann buy
  03-02 09:00 bob buy
  `,
  async (daybook) => {
    const by = (fieldName: string, value: unknown): Segment => ({
      groups: [{ conditions: [{ type: "did", filterGroups: [{ filters: [{ fieldName, operator: "in", value }] }] }] }],
    });
    await daybook.segments.put("by-id", by("user_id", ["bob", "ann"]));
    const email = { type: "trait", field: "email", operator: "=", value: "ann@example.com" } as const;
    await daybook.segments.put("by-email", { groups: [{ conditions: [email] }] });
    await daybook.segments.put("others", by("user_id", ["bob", "cleo"]));
    const { id } = await daybook.privacyRequests.create({ type: "erasure", subject: { userId: "ann" } });
    await daybook.privacyRequests.verify(id);
    await daybook.privacyRequests.acknowledge(id);
    await daybook.privacyRequests.resolve(id, "completed");
    return (await daybook.segments.list()).map(({ name }) => name);
  },
  ["others"],
);

example(
  "Only identity_id can be compared with a segment, and a segment cannot refer to another.",
  `
  03-02 09:00 ann buy
  `,
  async (daybook) => {
    const byUser = [{ filters: [{ fieldName: "user_id", operator: "in_segment", value: "them" }] }];
    const nested: Segment = { groups: [{ conditions: [{ type: "did", filterGroups: IN }] }] };
    return [
      await daybook.countEvents({ filterGroups: byUser, segments: { them: BUYERS } }).catch(codeAndParam),
      await daybook.countEvents({ filterGroups: IN, segments: { them: nested } }).catch(codeAndParam),
    ];
  },
  [
    ["invalid_operator", "filterGroups[0].filters[0].operator"],
    ["invalid_operator", "segments.them.groups[0].conditions[0].filterGroups[0].filters[0].operator"],
  ],
);

example(
  "A window has either dates or last days, and is required for first seen and last seen.",
  `
  03-02 09:00 ann buy
  `,
  (daybook) =>
    Promise.all(
      [
        { type: "did", lastDays: 7, startDate: "2026-03-01" },
        { type: "did", lastDays: 7, endDate: "2026-03-01" },
        { type: "first_seen" },
        { type: "last_seen" },
      ].map((condition) => who(daybook, condition as SegmentCondition).catch(({ code }: DaybookError) => code)),
    ),
  ["exactly_one_required", "exactly_one_required", "invalid_parameter", "invalid_parameter"],
);

example(
  "The minimum is 1 to 1,000,000, the maximum is not below it, and last days are 1 to 3,660.",
  `
  03-02 09:00 ann buy
  `,
  (daybook) =>
    Promise.all(
      [
        { type: "did", atLeast: 0 },
        { type: "did", atLeast: 1_000_001 },
        { type: "did", atLeast: 3, atMost: 2 },
        { type: "did", lastDays: 0 },
        { type: "did", lastDays: 3_661 },
        { type: "did_not", atLeast: 2 },
        { type: "trait", field: "", operator: "is_set" },
      ].map((condition) => who(daybook, condition as SegmentCondition).catch(codeAndParam)),
    ),
  [
    ["invalid_parameter", "segments.them.groups[0].conditions[0].atLeast"],
    ["invalid_parameter", "segments.them.groups[0].conditions[0].atLeast"],
    ["invalid_parameter", "segments.them.groups[0].conditions[0].atMost"],
    ["invalid_parameter", "segments.them.groups[0].conditions[0].lastDays"],
    ["invalid_parameter", "segments.them.groups[0].conditions[0].lastDays"],
    ["unknown_parameter", "segments.them.groups[0].conditions[0].atLeast"],
    ["invalid_parameter", "segments.them.groups[0].conditions[0].field"],
  ],
);

example(
  "A segment has 1 to 20 groups of 1 to 50 conditions of known types.",
  `
  03-02 09:00 ann buy
  `,
  async (daybook) => {
    const group = { conditions: [{ type: "did" }] } as const;
    const refusal = (them: unknown) => usersOf(daybook, them as Segment).catch(codeAndParam);
    return [
      await usersOf(daybook, { groups: Array.from({ length: 20 }, () => group) }),
      await usersOf(daybook, { groups: [{ conditions: Array.from({ length: 50 }, () => ({ type: "did" }) as const) }] }),
      await refusal({ groups: [] }),
      await refusal({ groups: Array.from({ length: 21 }, () => group) }),
      await refusal({ groups: [{ conditions: [] }] }),
      await refusal({ groups: [{ conditions: Array.from({ length: 51 }, () => ({ type: "did" })) }] }),
      await refusal({ groups: [{ conditions: [{ type: "was" }] }] }),
    ];
  },
  [
    ["ann"],
    ["ann"],
    ["invalid_parameter", "segments.them.groups"],
    ["invalid_parameter", "segments.them.groups"],
    ["invalid_parameter", "segments.them.groups[0].conditions"],
    ["invalid_parameter", "segments.them.groups[0].conditions"],
    ["invalid_parameter", "segments.them.groups[0].conditions[0].type"],
  ],
);

example(
  "A query defines up to ten segments, whose names have 1 to 64 letters, digits, underscores and hyphens.",
  `
  03-02 09:00 ann buy
  `,
  async (daybook) => {
    const countWith = (names: readonly string[]) =>
      daybook.countEvents({ segments: Object.fromEntries(names.map((name) => [name, BUYERS])) }).catch(({ code }: DaybookError) => code);
    return [
      await countWith(Array.from({ length: 10 }, (_, at) => `Old_customers-${at}`)),
      await countWith(Array.from({ length: 11 }, (_, at) => `Old_customers-${at}`)),
      await countWith(["x".repeat(64)]),
      await countWith(["x".repeat(65)]),
      await countWith(["old customers"]),
      await countWith([""]),
    ];
  },
  [1, "invalid_parameter", 1, "invalid_parameter", "invalid_parameter", "invalid_parameter"],
);

example(
  "Traits, companies and filters of segments count toward the limit of 100 filters per query.",
  `
  03-01 09:00 ann identify plan=pro
  03-02 09:00 ann buy
  `,
  async (daybook) => {
    const trait = { type: "trait", field: "plan", operator: "=", value: "pro" } as const;
    const company = { type: "company", operator: "is_not_set" } as const;
    const ofTraits = Array.from({ length: 50 }, () => trait);
    const ofCompanies = (count: number) => Array.from({ length: count }, () => company);
    return [
      await usersOf(daybook, { groups: [{ conditions: [...ofTraits] }, { conditions: ofCompanies(49) }] }),
      await usersOf(daybook, { groups: [{ conditions: [...ofTraits] }, { conditions: ofCompanies(50) }] }).catch(({ code }: DaybookError) => code),
    ];
  },
  [["ann"], "too_many_filters"],
);

example(
  "Reports without filters do not accept segments.",
  `
  03-02 09:00 ann buy company=acme
  `,
  async (daybook) => [
    await daybook.topCompanies({ segments: { them: BUYERS } } as never).catch(codeAndParam),
    await daybook.identityProfile({ userId: "ann", segments: { them: BUYERS } } as never).catch(codeAndParam),
    await daybook.revenueByAttribution({ project: "default", segments: { them: BUYERS } } as never).catch(codeAndParam),
  ],
  [
    ["unknown_parameter", "segments"],
    ["unknown_parameter", "segments"],
    ["unknown_parameter", "segments"],
  ],
);
