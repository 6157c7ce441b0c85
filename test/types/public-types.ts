import ts from "typescript";
import { expect, test } from "vitest";
import { blocksOf } from "../pages.js";
import { sourceOf, typeProgram } from "./type-program.js";

const HEAD = `import { openDaybook, memoryStorage, DaybookError, type Daybook, type ErrorCode, type EventInput, type RejectedEvent, type Segment } from "daybook";
import "daybook/browser"; import "daybook/http"; import "daybook/node"; import "daybook/testing"; import "daybook/client"; import "daybook/clickhouse"; import "daybook/tracker"; import "daybook/embed"; import "daybook/react";
declare const daybook: Daybook; declare const maybe: string | undefined; declare const text: string;
interface Plan { readonly plan: string; readonly seats?: number }
declare const plan: Plan; declare const rejected: RejectedEvent; declare const error: DaybookError; declare const segment: Segment;
`;

/** Lines that must compile. */
const RIGHT = [
  `void daybook.aggregate({ field: "device" });`,
  `void daybook.aggregate({ metadataField: "plan" });`,
  `void daybook.aggregate({ field: "metadata.plan" }); void daybook.aggregate({ field: "person.plan" }); void daybook.aggregate({ field: "first_touch.source" });`,
  `void daybook.aggregate({ field: "device", metadataField: null });`,
  `void daybook.countEvents();`,
  `void daybook.countEvents({ project: maybe, eventName: undefined, startDate: new Date(0) });`,
  `void daybook.countEvents({ filterGroups: [{ filters: [{ fieldName: text, operator: text, value: 3 }] }] });`,
  `const filters = [{ fieldName: "metadata.plan", operator: "=", value: "pro" }]; void daybook.countEvents({ filterGroups: [{ filters }] });`,
  `void daybook.identityProfile({ email: "a@x.io" });`,
  `void daybook.identityProfile({ userId: "ada", email: undefined });`,
  `void daybook.identify({ userId: "ada", anonymousId: maybe, traits: plan });`,
  `void daybook.identify({ anonymousId: 5, email: "a@x.io" });`,
  `void daybook.group({ companyId: "acme", userId: "ada", traits: plan });`,
  `void daybook.ingest([{ name: "signup", metadata: plan, userId: maybe }]);`,
  `const event: EventInput = { name: "signup", metadata: { plan: "pro" } };`,
  `const code: ErrorCode = rejected.code;`,
  `if (error.code === "store_locked") throw error;`,
  `void daybook.explain("countEvents", { eventName: "signup" });`,
  `void daybook.trend();`,
  `void daybook.trend({ measure: { type: "p90", field: "metadata.load_ms" }, interval: "week", weekStart: "sunday", timeZone: maybe });`,
  `void daybook.trend({ measure: { type: "revenue", field: null }, breakdown: { fields: ["person.plan", text], limit: undefined } });`,
  `const daily: readonly (number | null)[] = (await daybook.trend({})).series[0]?.data ?? [];`,
  `void daybook.funnel({ steps: [{ eventName: "a" }, { eventName: "b", name: "B" }], level: "session", breakdown: { fields: ["device"], at: "last" } });`,
  `const seconds: number | undefined = (await daybook.funnel({ steps: [{ eventName: "a" }, { eventName: "b" }] })).steps[1]?.fromPrevious?.medianSec;`,
  `void daybook.retention({ returnEvent: { eventName: "order" }, cohort: "recurring", returned: "on_or_after", interval: "month", level: "account" });`,
  `const share: number | null | undefined = (await daybook.retention()).cohorts[0]?.periods[1]?.rate;`,
  `const dormant: number | undefined = (await daybook.lifecycle({ interval: "week" })).buckets[0]?.dormant;`,
  `void daybook.stickiness({ interval: "month", unit: "day" });`,
  `void daybook.paths({ node: "event_name", rules: [{ pattern: "^/docs", label: "docs" }], startAt: "docs", maxDepth: 3, collapse: false });`,
  `const median: number | null = (await daybook.sessionsOverview({ interval: "day", limit: 5 })).total.durationMedianSec;`,
  `const shown: string | undefined = (await daybook.webOverview({ compare: "previous_year" })).sources[0]?.value;`,
  `const segment: Segment = { groups: [{ conditions: [{ type: "did", eventName: "order", atLeast: 2, lastDays: 30 }] }] }; void daybook.segments.put("a", segment);`,
  `void daybook.countEvents({ filterGroups: [{ filters: [{ fieldName: "identity_id", operator: "in_segment", value: "a" }] }], segments: { a: segment } });`,
  `const gone: boolean = await daybook.segments.delete("a");`,
  // Each of them is a program of its own.
  ...blocksOf("docs/reference/insights.md").flatMap(({ language, text }) => (language === "ts" && !text.startsWith("import ") ? [text.trim().replaceAll(/\s+/g, " ")] : [])),
];

/** Lines that must not, each with a word of what the compiler says. */
const WRONG: readonly (readonly [string, string])[] = [
  [`void daybook.aggregate({});`, "not assignable"],
  [`void daybook.aggregate();`, "Expected 1-2 arguments"],
  [`void daybook.aggregate({ field: "devise" });`, `"devise"`],
  [`void daybook.aggregate({ field: "first_touch.who" });`, `"first_touch.who"`],
  [`void daybook.aggregate({ field: "device", metadataField: "plan" });`, "not assignable"],
  [`void daybook.identityProfile({});`, "not assignable"],
  [`void daybook.identityProfile({ email: "a@x.io", userId: "ada" });`, "not assignable"],
  [`void daybook.identify({ email: "a@x.io" });`, "not assignable"],
  [`void daybook.group({ companyId: "acme" });`, "not assignable"],
  [`void daybook.group({ userId: "ada" });`, "not assignable"],
  [`void daybook.alias({ from: "a" });`, "not assignable"],
  [`void daybook.ingest([{ userId: "ada" }]);`, "name"],
  [`void daybook.ingest([{ name: "a", metadata: "text" }]);`, "not assignable"],
  [`void daybook.revenueByAttribution({});`, "not assignable"],
  [`void daybook.ltvCohorts({ project: "shop", level: "company" });`, `"company"`],
  [`if (error.code === "store_lokced") throw error;`, "no overlap"],
  [`if (rejected.code === "bad") throw error;`, "no overlap"],
  [`void daybook.countEvents({ eventname: "a" });`, "eventname"],
  [`void openDaybook({});`, "not assignable"],
  [`void openDaybook({ storage: memoryStorage(), memoryBudget: 5 });`, "memoryBudget"],
  [`void daybook.explain("countEvent");`, `"countEvent"`],
  [`void daybook.trend({ measure: { type: "median" } });`, "not assignable"],
  [`void daybook.trend({ measure: { type: "events", field: "device" } });`, "not assignable"],
  [`void daybook.trend({ interval: "fortnight" });`, `"fortnight"`],
  [`void daybook.trend({ userId: "ada" });`, "userId"],
  [`void daybook.trend({ compare: "last_year" });`, `"last_year"`],
  [`void daybook.funnel({});`, "steps"],
  [`void daybook.funnel({ steps: [{ event: "a" }, { eventName: "b" }] });`, "event"],
  [`void daybook.funnel({ steps: [], interval: "total" });`, `"total"`],
  [`void daybook.retention({ interval: "hour" });`, `"hour"`],
  [`void daybook.lifecycle({ level: "session" });`, `"session"`],
  [`void daybook.stickiness({ unit: "minute" });`, `"minute"`],
  [`void daybook.paths({ rules: [{ pattern: "a" }] });`, "label"],
  [`void daybook.sessionsOverview({ compare: "previous_year" });`, "compare"],
  [`void daybook.webOverview({ interval: "total" });`, `"total"`],
  [`void daybook.segments.put("a", { groups: [{ conditions: [{ type: "first_seen", eventName: "a" }] }] });`, "eventName"],
  [`void daybook.segments.put("a", { conditions: [] });`, "conditions"],
];

const COMPLETED: readonly (readonly [string, readonly string[]])[] = [
  [`void daybook.aggregate({ field: "|" });`, ["device", "location_country", "locationCountry", "path", "utm_source"]],
  [`void daybook.countEvents({ filterGroups: [{ filters: [{ fieldName: "|", operator: "=" }] }] });`, ["device", "user_id", "userId", "referrer_domain"]],
  [`void daybook.countEvents({ filterGroups: [{ filters: [{ fieldName: "device", operator: "|" }] }] });`, ["=", "not_in", "between", "is_set"]],
  [`if (error.code === "|") throw error;`, ["store_locked", "invalid_parameter"]],
  [`void daybook.explain("|");`, ["countEvents", "ltvCohorts", "trend", "webOverview"]],
  [`void daybook.trend({ interval: "|" });`, ["day", "week", "quarter", "total"]],
  [`void daybook.trend({ measure: { type: "unique_values", field: "|" } });`, ["device", "location_country", "path"]],
  [`void daybook.countEvents({ filterGroups: [{ filters: [{ fieldName: "identity_id", operator: "|" }] }] });`, ["in_segment", "not_in_segment"]],
];

const inFunctions = (lines: readonly string[]) => `${HEAD}${lines.map((line) => `export async function f() { ${line} }`.replace("function f", `function f${Math.abs(hash(line))}`)).join("\n")}`;
const hash = (line: string) => [...line].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) | 0, 7);
const headLineCount = HEAD.split("\n").length - 1;
const wrong = WRONG.map(([line]) => line);
const program = typeProgram(inFunctions([...RIGHT, ...wrong, ...COMPLETED.map(([line]) => line)]));
const errors = program.errors();

test.each(RIGHT.map((line, at) => [line, at] as const))("compiles: %s", (_line, at) => {
  expect(errors.get(headLineCount + at)).toBeUndefined();
});

test.each(WRONG.map(([line, says], at) => [line, says, at] as const))("does not compile: %s", (_line, says, at) => {
  expect(errors.get(headLineCount + RIGHT.length + at)).toContain(says);
});

test.each(COMPLETED)("is completed: %s", (line, names) => {
  const file = program.file(program.path);
  const at = file.text.indexOf(line) + line.indexOf("|");
  const offered = program.service.getCompletionsAtPosition(program.path, at, {})?.entries.map(({ name }) => name) ?? [];
  expect(offered).toEqual(expect.arrayContaining([...names]));
});

const ENTRIES = ["index.ts", "http/index.ts", "platform/node/index.ts", "testing/index.ts", "client/index.ts"];

/** Every function of an entry, and every function that its types have as members, by name. */
function functionsOf(entry: string): ReadonlyMap<string, ts.Symbol> {
  const { checker } = program;
  const file = program.file(sourceOf(entry));
  const moduleSymbol = checker.getSymbolAtLocation(file);
  const functions = new Map<string, ts.Symbol>();
  const isCalled = (symbol: ts.Symbol) => {
    const type = checker.getTypeOfSymbolAtLocation(symbol, file);
    return checker.getNonNullableType(type).getCallSignatures().length > 0;
  };
  for (const given of moduleSymbol === undefined ? [] : checker.getExportsOfModule(moduleSymbol)) {
    const symbol = (given.flags & ts.SymbolFlags.Alias) === 0 ? given : checker.getAliasedSymbol(given);
    if ((symbol.flags & ts.SymbolFlags.Function) !== 0) functions.set(symbol.name, symbol);
    if ((symbol.flags & (ts.SymbolFlags.Interface | ts.SymbolFlags.Class)) === 0) continue;
    for (const member of checker.getDeclaredTypeOfSymbol(symbol).getProperties()) {
      const isOurs = member.declarations?.some((declaration) => declaration.getSourceFile().fileName.includes("/src/")) === true;
      if (isOurs && !member.name.includes("#") && !member.name.startsWith("__") && isCalled(member)) functions.set(`${symbol.name}.${member.name}`, member);
    }
  }
  return functions;
}

test.each(ENTRIES)("Whoever hovers over a function of %s reads what it does.", (entry) => {
  const functions = functionsOf(entry);
  expect(functions.size).toBeGreaterThan(0);
  const silent = [...functions].filter(([, symbol]) => ts.displayPartsToString(symbol.getDocumentationComment(program.checker)).trim().length < 15);
  expect(silent.map(([name]) => name)).toEqual([]);
});

test("Whoever hovers over a member of a query's input reads what it means.", () => {
  const { checker } = program;
  const moduleSymbol = checker.getSymbolAtLocation(program.file(sourceOf("index.ts")));
  const exported = moduleSymbol === undefined ? [] : checker.getExportsOfModule(moduleSymbol).map((symbol) => checker.getAliasedSymbol(symbol));
  const inputs = exported.filter(({ name, declarations }) => declarations?.some((declaration) => declaration.getSourceFile().fileName.endsWith("/plan/input.ts")) === true && name.endsWith("Input"));
  expect(inputs.length).toBeGreaterThan(9);
  const members = inputs.flatMap((symbol) => checker.getDeclaredTypeOfSymbol(symbol).getProperties().map((member) => ({ name: `${symbol.name}.${member.name}`, member })));
  const silent = members.filter(({ member }) => member.getDocumentationComment(checker).length === 0);
  expect(silent.map(({ name }) => name)).toEqual([]);
});

test("The queries of a Daybook are among the functions that are looked at.", () => {
  expect([...functionsOf("index.ts").keys()]).toEqual(expect.arrayContaining(["openDaybook", "Daybook.countEvents", "Daybook.ltvCohorts", "Daybook.webOverview", "PrivacyRequests.resolve", "Segments.put"]));
});
