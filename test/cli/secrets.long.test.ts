import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { DaybookError } from "../../src/core/base/errors.js";
import { RequestLog } from "../../src/cli/server.js";
import { raw } from "../platform/node/raw.js";
import { daybook, emptyDirectory, startProgram } from "./run.js";

const TOKEN = "sk_planted_0123456789abcdef";
const EMAIL = "planted.person@example.org";
const USER = "planted-user-4711";

async function filesUnder(directory: string): Promise<Buffer[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  return await Promise.all(entries.filter((entry) => entry.isFile()).map((entry) => readFile(join(entry.parentPath, entry.name))));
}

test("No token is in any answer, log or stored file, and no email or user id is in the log.", async () => {
  const directory = await emptyDirectory();
  const created = (await daybook(["token", "create", "--data", directory, "--role", "owner", "--scopes", "*"])).stdout.trim();
  const server = startProgram("src/cli/main.ts", ["serve", "--data", directory, "--port", "0"], { env: { DAYBOOK_TOKEN: TOKEN } });
  const [, url = "", port = ""] = await server.said(/^daybook listening on (http:\/\/\S+:(\d+))$/m);
  const answers: string[] = [];
  const send = async (path: string, token: string, body?: string, headers: Record<string, string> = {}) => {
    const init = { method: body === undefined ? "GET" : "POST", headers: { authorization: token, "content-type": "application/json", ...headers } };
    const response = await fetch(`${url}${path}`, body === undefined ? init : { ...init, body });
    answers.push(`${[...response.headers].join("\n")}\n${await response.text()}`);
    return response.status;
  };
  const bearer = `Bearer ${TOKEN}`;
  const event = { name: USER, userId: USER, metadata: { email: EMAIL, [EMAIL]: USER } };
  expect(await send("/v1/events", bearer, JSON.stringify([event, { ...event, name: "" }]))).toBe(200);
  expect(await send("/v1/events", `Bearer ${created}`, JSON.stringify([event]))).toBe(200);
  expect(await send("/v1/identify", bearer, JSON.stringify({ userId: USER, traits: { email: EMAIL } }))).toBe(200);
  expect(await send(`/v1/identities/profile?email=${EMAIL}`, bearer)).toBe(200);
  expect(await send(`/v1/identities/profile?email=${EMAIL}&user_id=${USER}`, bearer)).toBe(400);
  expect(await send(`/v1/companies/${USER}/top-users`, bearer)).toBe(404);
  expect(await send(`/${EMAIL}/${USER}`, bearer)).toBe(404);
  expect(await send("/analytics/count-events", bearer, `{"user_id":"${USER}","start_date":"${EMAIL}"}`)).toBe(400);
  expect(await send("/analytics/count-events", bearer, `{"${EMAIL}`)).toBe(400);
  expect(await send("/analytics/count-events", `Bearer ${TOKEN}x`, "{}")).toBe(401);
  expect(await send("/analytics/count-events", `Digest ${TOKEN}`, "{}", { "x-request-id": TOKEN })).toBe(401);
  expect(await send("/v1/track", `Basic ${btoa(`${TOKEN}:${EMAIL}`)}`, "{}")).toBe(401);
  answers.push(await raw(Number(port), `GET /${EMAIL} HTTP/1.1\r\nHost: x\r\nAuthorization: ${bearer}\r\nAuthorization: ${bearer}\r\nConnection: close\r\n\r\n`));
  answers.push(await raw(Number(port), `broken ${TOKEN} ${EMAIL}\r\n\r\n`));
  server.child.kill("SIGTERM");
  const { stderr, stdout, code } = await server.finished;

  expect(code).toBe(0);
  const lines = stderr.trim().split("\n").map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(lines).toHaveLength(13);
  expect(lines[0]).toMatchObject({ level: "info", method: "POST", route: "/v1/events", status: 200, organization: "default" });
  expect(lines[5]).toMatchObject({ route: "/v1/companies/{company_id}/top-users", status: 404, code: "company_not_found" });
  expect(lines[6]).toMatchObject({ route: null, status: 404, code: "route_not_found", organization: null });
  for (const planted of [TOKEN, created, EMAIL, USER]) expect(`${stderr}${stdout}`).not.toContain(planted);
  for (const value of [TOKEN, created]) {
    expect(answers.filter((answer) => answer.includes(value))).toEqual([]);
    for (const bytes of await filesUnder(directory)) expect(bytes.includes(value)).toBe(false);
  }
}, 60_000);

test("A defect is told by its name and place, not by its message, which may quote a caller; one of ours by its code too.", () => {
  const lines: string[] = [];
  const log = new RequestLog((line) => lines.push(line), () => 0);
  log.defect(new SyntaxError(`unexpected ${EMAIL}`), "r-1");
  log.defect(new DaybookError("corruption", "segment 7: block 3 is damaged"), "r-2");
  log.defect(EMAIL, "r-3");
  expect(lines.join("")).not.toContain(EMAIL);
  const [first, second] = lines.map((line) => JSON.parse(line) as { message: string; stack: string[] });
  expect([first?.message, second?.message]).toEqual(["SyntaxError", "corruption: segment 7: block 3 is damaged"]);
  expect(first?.stack[0]).toMatch(/^at .*secrets\.long\.test\.ts/);
});

test("A log of too many requests tells how many it left out, and says nothing of health.", () => {
  const lines: string[] = [];
  let nowMs = 1_000;
  const log = new RequestLog((line) => lines.push(line), () => nowMs);
  const answered = { requestId: "r", method: "POST", route: "/v1/events", status: 429, code: "rate_limited", organization: null, durationMs: 0.04 } as const;
  for (let at = 0; at < 1_000; at += 1) log.answered(answered);
  expect(lines).toHaveLength(100);
  nowMs = 2_000;
  log.answered({ ...answered, route: "/healthz", status: 200, code: null });
  log.answered(answered);
  expect(lines).toHaveLength(102);
  expect(JSON.parse(lines[100] ?? "")).toMatchObject({ level: "warn", count: 900 });
  expect(JSON.parse(lines[101] ?? "")).toEqual({
    time: "1970-01-01T00:00:02.000Z",
    level: "info",
    request_id: "r",
    method: "POST",
    route: "/v1/events",
    status: 429,
    code: "rate_limited",
    organization: null,
    duration_ms: 0,
  });
});
