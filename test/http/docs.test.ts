import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { memoryStorage, openDaybook } from "../../src/index.js";
import { fixedClock } from "../../src/core/base/time.js";
import { ERROR_CODES } from "../../src/core/base/errors.js";
import { SCOPES } from "../../src/http/index.js";
import { routes } from "../../src/http/routes/table.js";
import { STATUS } from "../../src/http/answer/error-reply.js";
import { insightBodies } from "../../src/http/shapes/insights.js";
import { handlerOf, NOW_MS } from "./kit.js";

const page = readFileSync(new URL("../../docs/reference/http.md", import.meta.url), "utf8");

interface Example {
  readonly command: string;
  readonly answer: string;
}

/** The curl commands of the sections that go on from one another, each with the answer that stands below it. */
const examples: readonly Example[] = [...page.slice(page.indexOf("## Tracking calls"), page.indexOf("## Bodies")).matchAll(/```sh\n([^]*?)```/g)]
  .flatMap(([, block = ""]) => block.trim().split("\n\n"))
  .map((text) => {
    const lines = text.replaceAll(/\\\n\s*/g, "").split("\n");
    const answerAt = lines.findIndex((line) => line.startsWith("#"));
    const end = answerAt < 0 ? lines.length : answerAt;
    return { command: lines.slice(0, end).join("\n"), answer: lines.slice(end).map((line) => line.replace(/^#\s*/, "")).join("") };
  });

/** What curl would send. */
function requestOf(command: string, id: string): Request {
  const words = [...command.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(([, double, single, bare]) => double ?? single ?? bare ?? "");
  const value = (text: string) => text.replace("$URL", "http://daybook.test").replace("$TOKEN", "sk_owner_0123456789abcdefgh").replace("$ID", id);
  const after = (flag: string) => words.flatMap((word, at) => (word === flag ? [value(words[at + 1] ?? "")] : []));
  const [body] = after("-d");
  const headers = new Headers(after("-H").map((header) => header.split(": ") as [string, string]));
  for (const user of after("-u")) headers.set("authorization", `Basic ${btoa(user)}`);
  if (body !== undefined && !headers.has("content-type")) headers.set("content-type", "application/x-www-form-urlencoded");
  const method = after("-X")[0] ?? (body === undefined ? "GET" : "POST");
  return new Request(value(words[1] ?? ""), { method, headers, ...(body === undefined ? {} : { body }) });
}

/** An answer with `…` for what is left out. */
function patternOf(answer: string): RegExp {
  return new RegExp(`^${answer.split("…").map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&")).join("[^]*?")}$`);
}

describe("the examples of docs/reference/http.md", () => {
  it("answer what stands below them, run one after the other", async () => {
    expect(examples).toHaveLength(36);
    const daybook = await openDaybook({ storage: memoryStorage(), clock: fixedClock(NOW_MS) });
    const handler = handlerOf(daybook);
    let id = "";
    for (const { command, answer } of examples) {
      const response = await handler(requestOf(command, id));
      const text = await response.text();
      if (response.status === 201) id = (JSON.parse(text) as { id: string }).id;
      expect(text.replaceAll("\n", ""), command).toMatch(patternOf(answer));
    }
    await daybook.close();
  });
});

/** The queries of the table of queries, each as a route with its scope. */
const scoped = [...page.slice(page.indexOf("| query | scope | token |")).matchAll(/^\| ((?:`\w+`(?:, )?)+) \| `(\w+:\w+)` \| (?:any|owner)/gm)].flatMap(([, names = "", scope]) =>
  [...names.matchAll(/`(\w+)`/g)].map(([, name]) => [`POST /v1/query/${name}`, scope]),
);
/** One row stands for all others of the page of queries. */
const otherScope = /^\| all other \[queries\]\(queries\.md\) \| `(\w+:\w+)` \| any \|$/m.exec(page)?.[1];
const listed = [...readFileSync(new URL("../../docs/reference/queries.md", import.meta.url), "utf8").matchAll(/^\| \[?((?:`\w+`(?:, )?)+)(?:\]\([^)]*\))? \|/gm)]
  .flatMap(([, names = ""]) => [...names.matchAll(/`(\w+)`/g)].map(([, name]) => `POST /v1/query/${name}`));
const questions = [...scoped, ...listed.filter((route) => !scoped.some(([known]) => known === route)).map((route) => [route, otherScope])];

describe("docs/reference/http.md", () => {
  it("lists exactly the routes of the table, with their scopes", () => {
    const documented = [...page.matchAll(/^\| `((?:GET|POST|PUT|DELETE|OPTIONS) [^`]+)` \| (?:`([^`]+)`|none|any|of the query) \|/gm)].map(([, route, scope]) => [route, scope]);
    const actual = routes.map(({ method, path, access }) => [`${method} ${path}`, access?.scope ?? undefined]);
    const others = documented.filter(([route]) => route !== "POST /v1/query/{query}");
    expect([...others, ...questions].sort()).toEqual(actual.sort());
  });

  it("shows every error code that a request can meet with its status", () => {
    const rows = [...page.matchAll(/^\| (\d{3}) \| ([^|]+) \|/gm)];
    const statuses = rows.map(([, status]) => Number(status));
    expect(statuses).toEqual(statuses.toSorted((a, b) => a - b));
    const documented = rows.flatMap(([, status, codes = ""]) =>
      [...codes.matchAll(/`(\w+)`/g)].map(([, code]) => [code, Number(status)]),
    );
    const ofEvents = ["invalid_event", "duplicate", "suppressed", "expired", "project_not_allowed"];
    const actual = Object.keys(ERROR_CODES).filter((code) => !ofEvents.includes(code));
    expect(documented.sort()).toEqual(actual.map((code) => [code, STATUS[code as keyof typeof STATUS]]).sort());
  });

  it("lists the members of each insight", () => {
    const shared = [...(/\| members, beside `([^`]+)` \|/.exec(page)?.[1] ?? "").split(" ")];
    const documented = [...page.matchAll(/^\| `\w+` \| `(\w+)` \| `([\w ]+)` \|/gm)].map(([, name, members = ""]) => [name, [...shared, ...members.split(" ")].sort()]);
    const actual = Object.entries(insightBodies).map(([name, body]) => [name, Object.keys(body.shape).sort()]);
    expect(documented).toEqual(actual);
  });
});

describe("docs/guide/server.md", () => {
  it("names every scope", () => {
    const serving = readFileSync(new URL("../../docs/guide/server.md", import.meta.url), "utf8");
    expect(SCOPES.filter((scope) => !serving.includes(scope))).toEqual([]);
  });
});
