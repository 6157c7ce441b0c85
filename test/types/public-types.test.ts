import ts from "typescript";
import { expect, test } from "vitest";
import { sourceOf, typeProgram } from "./type-program.js";

const HEAD = `import { openDaybook, memoryStorage, DaybookError, type Daybook, type ErrorCode, type EventInput, type RejectedEvent } from "daybook";
import "daybook/http"; import "daybook/node"; import "daybook/testing"; import "daybook/client";
declare const daybook: Daybook; declare const maybe: string | undefined; declare const text: string;
interface Plan { readonly plan: string; readonly seats?: number }
declare const plan: Plan; declare const rejected: RejectedEvent; declare const error: DaybookError;
`;

/** Lines that must compile. */
const RIGHT = [
  `void daybook.aggregate({ field: "device" });`,
  `void daybook.aggregate({ metadataField: "plan" });`,
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
];

/** Lines that must not, each with a word of what the compiler says. */
const WRONG: readonly (readonly [string, string])[] = [
  [`void daybook.aggregate({});`, "not assignable"],
  [`void daybook.aggregate();`, "Expected 1-2 arguments"],
  [`void daybook.aggregate({ field: "devise" });`, `"devise"`],
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
];

const COMPLETED: readonly (readonly [string, readonly string[]])[] = [
  [`void daybook.aggregate({ field: "|" });`, ["device", "location_country", "locationCountry", "path", "utm_source"]],
  [`void daybook.countEvents({ filterGroups: [{ filters: [{ fieldName: "|", operator: "=" }] }] });`, ["device", "user_id", "userId", "referrer_domain"]],
  [`void daybook.countEvents({ filterGroups: [{ filters: [{ fieldName: "device", operator: "|" }] }] });`, ["=", "not_in", "between", "is_set"]],
  [`if (error.code === "|") throw error;`, ["store_locked", "invalid_parameter"]],
  [`void daybook.explain("|");`, ["countEvents", "ltvCohorts"]],
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

const ENTRIES = ["index.ts", "http/index.ts", "node/index.ts", "testing/index.ts", "client/index.ts"];

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

test("The questions of a Daybook are among the functions that are looked at.", () => {
  expect([...functionsOf("index.ts").keys()]).toEqual(expect.arrayContaining(["openDaybook", "Daybook.countEvents", "Daybook.ltvCohorts", "PrivacyRequests.resolve"]));
});
