import { afterEach, beforeEach, expect, it } from "vitest";
import { memoryStorage, openDaybook } from "../../src/index.js";
import type { Daybook, Notice, QueryOptions } from "../../src/index.js";
import { send } from "../http/kit.js";
import { clientOver, handlerOver } from "./kit.js";

let daybook: Daybook;
beforeEach(async () => {
  daybook = await openDaybook({ storage: memoryStorage() });
  await daybook.ingest([{ name: "signup", project: "shop", metadata: { plan: "pro" } }]);
});
afterEach(() => daybook.close());

const filterGroups = [{ filters: ["plan", "plna", "metadata.o.a", "x".repeat(200)].map((fieldName) => ({ fieldName, operator: "is_set" })) }];

type Asker = Pick<Daybook, "countEvents" | "countUniqueUsersPerDay" | "aggregate" | "searchEvents">;

/** What is noticed about some queries, and what they answer. */
async function noticed(asker: Asker): Promise<unknown> {
  const notices: Notice[] = [];
  const options: QueryOptions = { onNotice: (notice) => void notices.push(notice) };
  const answers = [
    await asker.countEvents({ filterGroups }, options), await asker.countUniqueUsersPerDay({ filterGroups }, options),
    await asker.aggregate({ metadataField: "plna", filterGroups }, options), await asker.searchEvents({ filterGroups }, options),
    await asker.countEvents({}, options),
  ];
  return { notices, answers };
}

it("A client tells onNotice of a query the same as the library does.", async () => {
  const own = (await noticed(daybook)) as { notices: Notice[] };
  expect(own.notices).toHaveLength(13);
  expect(own.notices[0]).toMatchObject({ code: "unknown_field", param: "filterGroups[0].filters[1].fieldName", name: "plna", report: "countEvents" });
  expect(await noticed(clientOver(daybook))).toEqual(own);
});

it("What onNotice throws or rejects with is passed to nobody, and without it notices are passed over.", async () => {
  const client = clientOver(daybook);
  for (const onNotice of [() => { throw new Error("broken"); }, () => Promise.reject(new Error("broken"))])
    expect(await client.countEvents({ filterGroups }, { onNotice })).toBe(0);
  expect(await client.countEvents({ filterGroups })).toBe(0);
});

it("A client with a token of one project hears nothing: it would be of others.", async () => {
  const { notices } = (await noticed(clientOver(daybook, "sk_shop_0123456789abcdefgh"))) as { notices: Notice[] };
  expect(notices).toEqual([]);
});

it("The answer to a query carries notices beside it, and in its header in the names of the library.", async () => {
  const ask = (fieldName: string) => send(handlerOver(daybook), "/v1/query/countEvents", { body: { filterGroups: [{ filters: [{ fieldName, operator: "is_set" }] }] } });
  const sent = await ask("plna");
  expect(sent.json).toEqual({ answer: 0, notices: [expect.objectContaining({ code: "unknown_field", name: "plna", report: "countEvents" })] });
  expect(sent.headers.get("daybook-notice")).toBe('unknown_field; param="filterGroups[0].filters[0].fieldName"; name="plna"');
  const known = await ask("plan");
  expect([known.json, known.headers.has("daybook-notice")]).toEqual([{ answer: 1 }, false]);
});
