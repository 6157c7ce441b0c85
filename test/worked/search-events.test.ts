import type { Daybook, SearchEventsInput } from "daybook";
import { expect } from "vitest";
import { failure } from "../query/reports/layouts.js";
import { example, refusal } from "./example.js";

/** The names of the events on the first page. */
const eventNames = (input?: SearchEventsInput) => async (daybook: Daybook) => (await daybook.searchEvents(input)).events.map(({ name }) => name);

/** The event names of each page. */
const pages = (input: SearchEventsInput) => async (daybook: Daybook) => {
  const names: string[][] = [];
  let cursor: string | null = null;
  do {
    const page: Awaited<ReturnType<Daybook["searchEvents"]>> = await daybook.searchEvents({ ...input, cursor });
    names.push(page.events.map(({ name }) => name));
    cursor = page.cursor;
  } while (cursor !== null);
  return names;
};

/** The cursor to the second page. */
const cursorOf = async (daybook: Daybook, input: SearchEventsInput) => {
  const { cursor } = await daybook.searchEvents(input);
  if (cursor === null) throw new Error("expected a second page");
  return cursor;
};

/** The code and parameter of the error that refuses the query. */
const refused = (input: SearchEventsInput) => (daybook: Daybook) => refusal(daybook.searchEvents(input));

example(
  "An event is returned with all its fields and its identity.",
  `
  03-02 09:00 ann~phone "Order Completed" id=00000000-0000-4000-8000-000000000001 project=web value=10 currency=EUR order=o1 company=acme plan=pro
  `,
  (daybook) => daybook.searchEvents(),
  {
    cursor: null,
    events: [
      {
        id: "00000000-0000-4000-8000-000000000001",
        name: "Order Completed",
        notify: false,
        slug: "order-completed",
        userId: "ann",
        project: "web",
        createdAt: "2026-03-02T09:00:00.000Z",
        metadata: { plan: "pro" },
        locationCountry: "",
        locationCity: "",
        locationRegion: "",
        locationLon: "",
        locationLat: "",
        device: "",
        os: "",
        browser: "",
        screen: "",
        language: "",
        referrer: null,
        url: "",
        hostname: "",
        anonymousId: "phone",
        value: 10,
        currency: "EUR",
        externalId: "o1",
        companyId: "acme",
        identityId: expect.any(String) as unknown,
      },
    ],
  },
);

example(
  "With allFields set to false, an event has only the basic fields.",
  `
  03-02 09:00 ann~phone /pricing id=00000000-0000-4000-8000-000000000001 country=DE city=Munich os=iOS referrer=https://a.example/
  `,
  (daybook) => daybook.searchEvents({ allFields: false }),
  {
    cursor: null,
    events: [
      {
        id: "00000000-0000-4000-8000-000000000001",
        name: "Pageview",
        notify: false,
        slug: "pageview",
        userId: "ann",
        project: "default",
        createdAt: "2026-03-02T09:00:00.000Z",
        metadata: {},
        locationCountry: "DE",
        locationCity: "Munich",
        locationRegion: "",
        locationLon: "",
        locationLat: "",
        device: "",
        os: "iOS",
        browser: "",
        screen: "",
        language: "",
        referrer: "https://a.example/",
        url: "/pricing",
        hostname: "",
      },
    ],
  },
);

example("Without events, the page is empty and is the last one.", "", (daybook) => daybook.searchEvents(), { cursor: null, events: [] });

example(
  "Events are sorted newest first, regardless of the order in which they are sent.",
  `
  03-03 09:00 ann second
  03-04 09:00 ann third
  03-02 09:00 ann first
  `,
  eventNames(),
  ["third", "second", "first"],
);

example(
  "Events are sorted by time to the millisecond.",
  `
  03-02 09:00:00.001 ann later
  03-02 09:00:00.000 ann earlier
  `,
  eventNames(),
  ["later", "earlier"],
);

example(
  "Events in the same millisecond are sorted by id, greatest first.",
  `
  03-02 09:00 ann one id=00000000-0000-4000-8000-000000000001
  03-02 09:00 ann three id=00000000-0000-4000-8000-000000000003
  03-02 09:00 ann two id=00000000-0000-4000-8000-000000000002
  `,
  eventNames(),
  ["three", "two", "one"],
);

example(
  "Ids are compared as unsigned numbers, so an id starting with f is greater than one starting with 7.",
  `
  03-02 09:00 ann seven id=70000000-0000-4000-8000-000000000000
  03-02 09:00 ann f id=f0000000-0000-4000-8000-000000000000
  `,
  eventNames(),
  ["f", "seven"],
);

example(
  "Events with the same time and id in two projects are sorted by project, greatest first.",
  `
  03-02 09:00 ann app id=00000000-0000-4000-8000-000000000001 project=app
  03-02 09:00 ann web id=00000000-0000-4000-8000-000000000001 project=web
  `,
  eventNames(),
  ["web", "app"],
);

example(
  "Consecutive pages have no gaps, and the last page may be shorter.",
  `
  03-01 09:00 ann a
  03-02 09:00 ann b
  03-03 09:00 ann c
  03-04 09:00 ann d
  03-05 09:00 ann e
  `,
  pages({ limit: 2 }),
  [["e", "d"], ["c", "b"], ["a"]],
);

example(
  "If the events fill the last page exactly, no empty page follows.",
  `
  03-01 09:00 ann a
  03-02 09:00 ann b
  03-03 09:00 ann c
  03-04 09:00 ann d
  `,
  pages({ limit: 2 }),
  [
    ["d", "c"],
    ["b", "a"],
  ],
);

example(
  "If a page ends between events in the same millisecond, no event is lost or repeated.",
  `
  03-02 09:00 ann one id=00000000-0000-4000-8000-000000000001
  03-02 09:00 ann two id=00000000-0000-4000-8000-000000000002
  03-02 09:00 ann three id=00000000-0000-4000-8000-000000000003
  03-02 08:59:59.999 ann zero id=00000000-0000-4000-8000-000000000004
  `,
  pages({ limit: 1 }),
  [["three"], ["two"], ["one"], ["zero"]],
);

example(
  "A page has 100 events by default.",
  `
  03-01 09:00 ann oldest
  `,
  async (daybook) => {
    await daybook.ingest(Array.from({ length: 100 }, () => ({ name: "newer", userId: "ann", createdAt: "2026-03-02T09:00:00Z" })));
    return (await pages({})(daybook)).map((names) => [names.length, names.at(-1)]);
  },
  [
    [100, "newer"],
    [1, "oldest"],
  ],
);

example(
  "The limit may change between pages.",
  `
  03-01 09:00 ann a
  03-02 09:00 ann b
  03-03 09:00 ann c
  03-04 09:00 ann d
  `,
  async (daybook) => eventNames({ limit: 2, cursor: await cursorOf(daybook, { limit: 1 }) })(daybook),
  ["c", "b"],
);

example(
  "The parameter allFields may change between pages.",
  `
  03-01 09:00 ann~phone a
  03-02 09:00 ann~phone b
  `,
  async (daybook) => {
    const { events } = await daybook.searchEvents({ cursor: await cursorOf(daybook, { limit: 1, allFields: false }) });
    return events.map(({ name, anonymousId }) => [name, anonymousId]);
  },
  [["a", "phone"]],
);

example(
  "Events that arrive after the first page do not appear on later pages.",
  `
  03-01 09:00 ann a
  03-03 09:00 ann c
  `,
  async (daybook) => {
    const cursor = await cursorOf(daybook, { limit: 1 });
    await daybook.ingest([{ name: "b", userId: "ann", createdAt: "2026-03-02T09:00:00Z" }]);
    return eventNames({ cursor })(daybook);
  },
  ["a"],
);

example(
  "A new search finds events that arrived in the meantime.",
  `
  03-01 09:00 ann a
  03-03 09:00 ann c
  `,
  async (daybook) => {
    await daybook.ingest([{ name: "b", userId: "ann", createdAt: "2026-03-02T09:00:00Z" }]);
    return eventNames()(daybook);
  },
  ["c", "b", "a"],
);

example(
  "Events of a person erased between two pages do not appear on the second page.",
  `
  03-01 09:00 ann a
  03-02 09:00 bob b
  03-03 09:00 ann c
  `,
  async (daybook) => {
    const cursor = await cursorOf(daybook, { limit: 1 });
    const { id } = await daybook.privacyRequests.create({ type: "erasure", subject: { userId: "bob" } });
    await daybook.privacyRequests.verify(id);
    await daybook.privacyRequests.acknowledge(id);
    await daybook.privacyRequests.resolve(id, "completed");
    return eventNames({ cursor })(daybook);
  },
  ["a"],
);

example(
  "A cursor is valid only with the same filters.",
  `
  03-01 09:00 ann a
  03-02 09:00 ann b
  `,
  async (daybook) => (await failure(daybook.searchEvents({ eventName: "a", cursor: await cursorOf(daybook, { limit: 1 }) })))[0],
  "cursor_mismatch",
);

example(
  "A text that is not a cursor is refused.",
  "",
  async (daybook) => (await failure(daybook.searchEvents({ cursor: "page-2" })))[0],
  "invalid_cursor",
);

example(
  "A truncated cursor is refused.",
  `
  03-01 09:00 ann a
  03-02 09:00 ann b
  `,
  async (daybook) => (await failure(daybook.searchEvents({ cursor: (await cursorOf(daybook, { limit: 1 })).slice(0, -8) })))[0],
  "invalid_cursor",
);

example(
  "A cursor of a person's sessions is refused.",
  `
  03-01 09:00 ann a
  03-02 09:00 ann b
  `,
  async (daybook) => {
    const { cursor } = await daybook.identitySessions({ userId: "ann", limit: 1 });
    return (await failure(daybook.searchEvents({ cursor })))[0];
  },
  "invalid_cursor",
);

example(
  "The parameter userId finds all of the person's events, including those of the device before the sign-up.",
  `
  03-01 09:00 ~phone visited
  03-02 09:00 ann~phone signup
  03-03 09:00 bob signup
  03-04 09:00 ann buy
  `,
  eventNames({ userId: "ann" }),
  ["buy", "signup", "visited"],
);

example(
  "The filter user_id finds the events sent with that id.",
  `
  03-01 09:00 ~phone visited
  03-02 09:00 ann~phone signup
  03-04 09:00 ann buy
  `,
  eventNames({ filterGroups: [{ filters: [{ fieldName: "user_id", operator: "=", value: "ann" }] }] }),
  ["buy", "signup"],
);

example(
  "Events of two ids merged by an alias have one identity and keep their original user ids.",
  `
  03-01 09:00 annie signup
  03-02 09:00 ann buy
  03-09 09:00 annie alias:ann
  `,
  async (daybook) => {
    const { events } = await daybook.searchEvents();
    return { userIds: events.map(({ userId }) => userId), identities: new Set(events.map(({ identityId }) => identityId)).size };
  },
  { userIds: ["ann", "annie"], identities: 1 },
);

example(
  "An event with neither a user id nor an anonymous id has a null identity and an empty user id.",
  `
  03-01 09:00 - ping
  `,
  async (daybook) => (await daybook.searchEvents()).events.map(({ userId, anonymousId, identityId }) => ({ userId, anonymousId, identityId })),
  [{ userId: "", anonymousId: "", identityId: null }],
);

example(
  "The company of an event is the one sent with it, not that of the person.",
  `
  03-01 09:00 ann group:acme
  03-02 09:00 ann a
  03-03 09:00 ann b company=globex
  `,
  async (daybook) => (await daybook.searchEvents()).events.map(({ name, companyId }) => [name, companyId]),
  [
    ["b", "globex"],
    ["a", ""],
  ],
);

example(
  "Metadata is returned as sent: numbers, texts, booleans, null, lists and objects.",
  `
  03-01 09:00 ann order items=3 code="3" gift=true note=null tags=["a",1] box={"w":2,"h":1}
  `,
  async (daybook) => (await daybook.searchEvents()).events.map(({ metadata }) => metadata),
  [{ items: 3, code: "3", gift: true, note: null, tags: ["a", 1], box: { w: 2, h: 1 } }],
);

example(
  "The slug is the name in lower case without accents, with one hyphen between runs of letters and digits.",
  `
  03-01 09:00 ann "Café: Order No. 7!"
  `,
  async (daybook) => (await daybook.searchEvents()).events.map(({ slug }) => slug),
  ["cafe-order-no-7"],
);

example(
  "An id that is not a UUID is converted to one, always the same within a project.",
  `
  03-01 09:00 ann a id=order-1
  `,
  async (daybook) => {
    const again = await daybook.ingest([{ id: "order-1", name: "a", userId: "ann" }]);
    const { events } = await daybook.searchEvents();
    return { ids: events.map(({ id }) => id), duplicates: again.duplicates };
  },
  { ids: [expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/) as unknown], duplicates: 1 },
);

example(
  "A second event with the same id does not change the first.",
  `
  03-01 09:00 ann first id=e1
  `,
  async (daybook) => {
    await daybook.ingest([{ id: "e1", name: "second", userId: "bob", createdAt: "2026-03-02T09:00:00Z" }]);
    return eventNames()(daybook);
  },
  ["first"],
);

example(
  "An event too far in the future is dated at its receipt.",
  `
  03-20 12:05 ann soon
  03-20 12:06 ann later
  `,
  async (daybook) => (await daybook.searchEvents()).events.map(({ name, createdAt }) => [name, createdAt]),
  [
    ["soon", "2026-03-20T12:05:00.000Z"],
    ["later", "2026-03-20T12:00:00.000Z"],
  ],
);

example(
  "The project, event name and dates restrict the search, and both dates are whole days.",
  `
  03-01 23:59:59.999 ann buy project=web n=1
  03-02 00:00:00.000 ann buy project=web n=2
  03-02 09:00 ann view project=web n=3
  03-02 09:05 ann buy project=app n=4
  03-03 23:59:59.999 ann buy project=web n=5
  03-04 00:00:00.000 ann buy project=web n=6
  `,
  async (daybook) => {
    const { events } = await daybook.searchEvents({ project: "web", eventName: "buy", startDate: "2026-03-02", endDate: "2026-03-03" });
    return events.map(({ metadata }) => metadata["n"]);
  },
  [5, 2],
);

example(
  "An event must match at least one filter group.",
  `
  03-01 09:00 ann a plan=pro
  03-02 09:00 bob b os=iOS
  03-03 09:00 cleo c
  `,
  eventNames({
    filterGroups: [
      { filters: [{ fieldName: "plan", operator: "is_set" }] },
      { filters: [{ fieldName: "os", operator: "=", value: "iOS" }] },
    ],
  }),
  ["b", "a"],
);

example(
  "A segment is evaluated for each page, so people who joined it in the meantime appear on the second page.",
  `
  03-01 09:00 bob first
  03-02 09:00 ann second
  03-03 09:00 ann buy
  `,
  async (daybook) => {
    const buyers: SearchEventsInput = {
      filterGroups: [{ filters: [{ fieldName: "identity_id", operator: "in_segment", value: "buyers" }] }],
      segments: { buyers: { groups: [{ conditions: [{ type: "did", eventName: "buy" }] }] } },
    };
    const cursor = await cursorOf(daybook, { ...buyers, limit: 1 });
    await daybook.ingest([{ name: "buy", userId: "bob", createdAt: "2026-03-10T09:00:00Z" }]);
    return eventNames({ ...buyers, cursor })(daybook);
  },
  ["second", "first"],
);

example(
  "A null member is treated as absent.",
  `
  03-01 09:00 ann~phone a
  `,
  async (daybook) => {
    const { cursor, events } = await daybook.searchEvents({ cursor: null, limit: null, allFields: null, userId: null, eventName: null });
    return { cursor, anonymousIds: events.map(({ anonymousId }) => anonymousId) };
  },
  { cursor: null, anonymousIds: ["phone"] },
);

example("A limit of 0 is refused.", "", refused({ limit: 0 }), ["invalid_parameter", "limit"]);

example("A limit above 1,000 is refused, not reduced.", "", refused({ limit: 1001 }), ["invalid_parameter", "limit"]);

example("A cursor that is not text is refused.", "", refused({ cursor: 2 as unknown as string }), ["invalid_parameter", "cursor"]);

example("The query has no page parameter.", "", refused({ page: 2 } as SearchEventsInput), ["unknown_parameter", "page"]);

example(
  "An unknown operator is refused.",
  "",
  refused({ filterGroups: [{ filters: [{ fieldName: "plan", operator: "like", value: "pro" }] }] }),
  ["invalid_operator", "filterGroups[0].filters[0].operator"],
);
