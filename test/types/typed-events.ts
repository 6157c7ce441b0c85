import ts from "typescript";
import { expect, test } from "vitest";
import { typeProgram } from "./type-program.js";

const HEAD = `import { defineEvents, type Daybook, type DaybookOf, type TypedEvent } from "daybook"; import type { DaybookClient } from "daybook/client"; import { z } from "zod";
const shop = defineEvents({
  signup: z.object({ plan: z.enum(["free", "pro"]), seats: z.int().optional() }), pageview: z.object({}),
  order: z.object({ total: z.number(), items: z.array(z.string()), address: z.object({ city: z.string() }).optional() }),
});
const odd = defineEvents({
  untyped: z.object({ a: z.any(), b: z.unknown(), c: z.string() }), json: z.object({ data: z.json() }),
  either: z.discriminatedUnion("kind", [z.object({ kind: z.literal("card"), last4: z.string() }), z.object({ kind: z.literal("bank"), bank: z.string() })]),
});
const made = defineEvents({ visit: z.object({ seconds: z.string().transform(Number), page: z.string().default("home") }) });
declare const visits: DaybookOf<typeof made>; declare const plain: Daybook; declare const unusual: DaybookOf<typeof odd>; declare const client: DaybookClient; declare const daybook: DaybookOf<typeof shop>; const seen = shop.bind(plain);
`;
const asked = (filter: string) => `void daybook.countEvents({ filterGroups: [{ filters: [${filter}] }] });`;

/** Lines that must compile. */
const RIGHT = [
  `const remote: DaybookOf<typeof shop, DaybookClient> = shop.bind(client); void remote.countEvents({ eventName: "order" }); void remote.projects().then(() => 1);`,
  `daybook.track({ name: "signup", metadata: { plan: "pro" } }, { project: "web" }); void daybook.flush(); void daybook.erase({ userId: "ada" });`,
  `void visits.ingest([{ name: "visit", metadata: { seconds: "5" } }], { onRejected: "throw" });`,
  `void visits.trend({ measure: { type: "sum", field: "metadata.seconds" } }); void visits.aggregate({ metadataField: "page" });`,
  `const same: DaybookOf<typeof shop> = seen; const any: Daybook = seen;`,
  `void daybook.ingest([{ name: "signup", userId: "ada", metadata: { plan: "pro" } }, { name: "pageview", url: "/" }], { project: "web" });`,
  `void daybook.countEvents(); void daybook.countEvents({ eventName: "order", startDate: new Date(0), project: undefined });`,
  asked(`{ fieldName: "metadata.plan", operator: "in", value: ["free"] }`),
  asked(`{ fieldName: "metadata.total", operator: "between", value: [1, 2] }`),
  asked(`{ fieldName: "metadata.address.city", operator: "contains", value: "x" }`),
  asked(`{ fieldName: "metadata.items", operator: "is_set" }`),
  asked(`{ fieldName: "device", operator: "=", value: "Mobile" }, { fieldName: "person.plan", operator: "=", value: 5 }`),
  `void daybook.trend({ measure: { type: "p90", field: "metadata.total" }, breakdown: { fields: ["metadata.plan", "device"] }, interval: "week" });`,
  `void daybook.trend({ measure: { type: "revenue" } }); void daybook.trend({ measure: { type: "sum", field: "value" } });`,
  `void daybook.aggregate({ metadataField: "plan", measure: "unique_users" }); void daybook.aggregate({ field: "device" });`,
  `void daybook.aggregate({ field: "metadata.plan" }); void daybook.aggregate({ field: "person.plan" }); void daybook.aggregate({ field: "last_touch.source" });`,
  `void daybook.funnel({ steps: [{ eventName: "signup" }, { eventName: "order", name: "paid" }] });`,
  `const records: string | undefined = (await daybook.searchEvents({ eventName: "signup", allFields: false })).events[0]?.id;`,
  `void daybook.segments.put("payers", { groups: [{ conditions: [{ type: "did", eventName: "order" }, { type: "trait", field: "plan", operator: "=", value: 1 }] }] });`,
  `void shop.bind(client, { check: "reject" }).countEvents({ eventName: "order" });`,
  `void shop.bind(plain, { check: "report", onFlaw: ({ index, message }) => [index, message] });`,
  `void unusual.countEvents({ filterGroups: [{ filters: [{ fieldName: "metadata.c", operator: "=", value: "x" }, { fieldName: "metadata.a", operator: "=", value: 5 }] }] });`,
  `void unusual.countEvents({ filterGroups: [{ filters: [{ fieldName: "metadata.data.x", operator: "is_set" }] }] }); void unusual.aggregate({ metadataField: "b" });`,
  `void unusual.countEvents({ filterGroups: [{ filters: [{ fieldName: "metadata.bank", operator: "=", value: "x" }, { fieldName: "metadata.kind", operator: "=", value: "card" }] }] });`,
  `const name: "signup" | "pageview" | "order" | undefined = shop.names[0];`,
];

/** Lines that must not, each with a word of what the compiler says. */
const WRONG: readonly (readonly [string, string])[] = [
  [`void daybook.ingest([{ name: "signup", metadata: { plan: "gold" } }]);`, `"gold"`],
  [`void daybook.ingest([{ name: "signup" }]);`, "metadata"],
  [`daybook.track({ name: "signup" });`, "metadata"],
  [`daybook.track({ name: "pageview" }, { onRejected: "throw" });`, "onRejected"],
  [`void visits.ingest([{ name: "visit", metadata: { seconds: 5 } }]);`, "number"],
  [`const remote: DaybookOf<typeof shop, DaybookClient> = seen;`, "not assignable"],
  [`void daybook.ingest([{ name: "sign-up", metadata: { plan: "pro" } }]);`, `"sign-up"`],
  [`void daybook.ingest([{ name: "order", metadata: { total: "5", items: [] } }]);`, "number"],
  [`void daybook.countEvents({ eventName: "ordr" });`, `"ordr"`],
  [asked(`{ fieldName: "metadata.plan", operator: "=", value: "gold" }`), "gold"],
  [asked(`{ fieldName: "metadata.pln", operator: "=", value: "free" }`), "metadata.pln"],
  [asked(`{ fieldName: "plan", operator: "=", value: "free" }`), `"plan"`],
  [asked(`{ fieldName: "metadata.total", operator: "between", value: ["a", "b"] }`), "string"],
  [asked(`{ fieldName: "metadata.plan", operator: "resembles", value: "free" }`), "resembles"],
  [`void daybook.trend({ measure: { type: "sum", field: "metadata.plan" } });`, "metadata.plan"],
  [`void daybook.trend({ breakdown: { fields: ["metadata.ttl"] } });`, "metadata.ttl"],
  [`void daybook.aggregate({ metadataField: "totl" });`, "totl"],
  [`void daybook.aggregate({ field: "metadata.totl" });`, "metadata.totl"],
  [`void daybook.aggregate({ field: "plan" });`, `"plan"`],
  [`void daybook.aggregate({ field: "device", metadataField: "plan" });`, "not assignable"],
  [`void daybook.funnel({ steps: [{ eventName: "signup" }, { eventName: "ordr" }] });`, `"ordr"`],
  [`void daybook.retention({ cohortEvent: { eventName: "ordr" } });`, `"ordr"`],
  [`void daybook.paths({ node: "metadata.step" });`, "metadata.step"],
  [`void daybook.segments.put("payers", { groups: [{ conditions: [{ type: "did", eventName: "ordr" }] }] });`, `"ordr"`],
  [`void unusual.aggregate({ metadataField: "last5" });`, "last5"],
  [`void unusual.countEvents({ filterGroups: [{ filters: [{ fieldName: "metadata.c", operator: "=", value: 5 }] }] });`, "number"],
  [`void shop.bind(plain, { check: "report" });`, "onFlaw"],
  [`void shop.bind({});`, "not assignable"],
  [`defineEvents({ signup: { plan: "text" } });`, "EventShape"],
];

const KEYS = [0, 1, 2, 3, 4, 5, 6, 7];
const MANY = Array.from({ length: 100 }, (_, event) => `event_${event}: z.object({ ${KEYS.map((key) => `key_${event}_${key}: z.string()`).join(", ")} })`);
const LARGE = `void defineEvents({ ${MANY.join(", ")} }).bind(plain).countEvents({ eventName: "event_99", `
  + `filterGroups: [{ filters: [{ fieldName: "metadata.key_99_3", operator: "=", value: "a" }] }] });`;

const program = typeProgram([HEAD.replaceAll("\n", " "), ...RIGHT.map((line) => `async () => { ${line} };`), ...WRONG.map(([line]) => `async () => { ${line} };`), LARGE].join("\n"));
const errors = program.errors();

test.each(RIGHT.map((line, at) => [line, at + 1] as const))("%s compiles", (_, line) => {
  expect(errors.get(line)).toBeUndefined();
});

test.each(WRONG.map(([line, word], at) => [line, word, at + 1 + RIGHT.length] as const))("%s does not compile, because of %s", (_, word, line) => {
  expect(errors.get(line)).toContain(word);
});

test("Whoever hovers reads names and members, not what computed them.", () => {
  const text = program.file(program.path).text;
  const shown = (word: string) => ts.displayPartsToString(program.service.getQuickInfoAtPosition(program.path, text.indexOf(word))?.displayParts);
  const events = `{ readonly signup: { plan: "free" | "pro"; seats?: number | undefined; }; readonly pageview: Record<string, never>; `
    + `readonly order: { total: number; items: string[]; address?: { city: string; } | undefined; }; }`;
  expect(shown("shop =").replaceAll(/\s+/g, " ")).toBe(`const shop: EventDefinition<${events}, ${events}>`);
  expect(shown("seen =").replaceAll(/\s+/g, " ")).toBe(`const seen: TypedDaybook<${events}, Daybook, ${events}>`);
  const query = shown("countEvents();").replaceAll(/\s+/g, " ");
  expect(query).toContain('eventName?: "signup" | "pageview" | "order" | null | undefined;');
  expect(query).toContain("startDate?: DateInput | null | undefined;");
  expect(query).not.toMatch(/NonNullable|Extract|Slots|TypedMember/);
});

test("A hundred events cost the compiler little: what it works out grows with the events, not with their pairs.", () => {
  // All of the program above, and eight hundred keys. Where each path was looked up in each event it was 1,400,000.
  expect(errors.get(RIGHT.length + WRONG.length + 1)).toBeUndefined();
  expect(program.service.getProgram()?.getInstantiationCount()).toBeLessThan(250_000);
});
