import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import { requestOf } from "../../../bench/load/batch.js";
import { Connection } from "../../../bench/load/connection.js";
import { quantile } from "../../../bench/load/load.js";
import { SERVER_LIMITS } from "../../../src/core/base/server-limits.js";
import { seededRandom } from "../../../src/testing/index.js";
import { baseSeed } from "../../oracle/settings.js";
import { emptyDirectory, startProgram } from "../run.js";
import { Caller } from "./caller.js";

const SECONDS = Number(process.env["DAYBOOK_FAIRNESS_SECONDS"] ?? 20);
const TOKEN_COUNT = Number(process.env["DAYBOOK_FAIRNESS_TOKENS"] ?? 200);
const PROJECT_COUNT = 10;
/** One token of each project asks by as many connections at once as others have tokens: it must not take their turns. */
const GREEDY_CONNECTION_COUNT = 16;
/** The longest that a write may wait, and a query may take. */
const LONGEST_MS = Math.max(SERVER_LIMITS.waitingWriteMs, SERVER_LIMITS.queryMs);

const OWNER = "sk_fairness_owner_0123456789";
const nameOf = (at: number) => `sk_fairness_0123456789_${at}`;

test("Of many tokens at once none starves, none waits longer than is said, and nothing acknowledged is lost, after a kill either.", async () => {
  const directory = await emptyDirectory();
  const tokens = join(directory, "tokens-of-test.json");
  const scopes = ["events:write", "analytics:read"];
  const entries = Array.from({ length: TOKEN_COUNT }, (_, at) => ({ token: nameOf(at), role: "member", scopes, project: `p${at % PROJECT_COUNT}` }));
  await writeFile(tokens, JSON.stringify([{ token: OWNER, role: "owner", scopes: ["*"] }, ...entries]));
  const serve = async () => {
    const server = startProgram("src/cli/main.ts", ["serve", "--data", join(directory, "data"), "--port", "0", "--tokens", tokens, "--quiet"]);
    const [, portText] = await server.said(/^daybook listening on http:\/\/\S+:(\d+)$/m);
    return { server, port: Number(portText) };
  };
  const storedOf = async (port: number) => {
    const connection = await Connection.open(port);
    const answer = await connection.send(requestOf("POST", "/analytics/aggregate", OWNER, '{"metadata_field":"token"}'));
    connection.close();
    const { data } = JSON.parse(answer?.body ?? "") as { data: { property: string; count: number }[] };
    return new Map(data.map(({ property, count }) => [property, count]));
  };
  const callers = entries.map(({ token }, at) => new Caller(token, at < PROJECT_COUNT ? GREEDY_CONNECTION_COUNT : 1, seededRandom(baseSeed + at)));
  const { server, port } = await serve();

  const startedMs = performance.now();
  await Promise.all(callers.map((caller) => caller.call(() => port, startedMs + SECONDS * 1_000)));
  const elapsedSeconds = (performance.now() - startedMs) / 1_000;
  const answered = callers.map(({ answeredCount }) => answeredCount);
  const medians = callers.map(({ latenciesMs }) => quantile(latenciesMs, 0.5));
  const refusedCountOf = (status: number) => callers.reduce((sum, { refusals }) => sum + (refusals.get(status) ?? 0), 0);
  const figures = {
    seconds: Math.round(elapsedSeconds),
    tokenCount: TOKEN_COUNT,
    connectionCount: callers.reduce((sum, { connectionCount }) => sum + connectionCount, 0),
    answersPerSecond: Math.round(answered.reduce((sum, count) => sum + count, 0) / elapsedSeconds),
    answeredLeast: Math.min(...answered),
    answeredMedian: quantile(answered, 0.5),
    answeredMost: Math.max(...answered),
    medianMs: [Math.min(...medians), quantile(medians, 0.5), Math.max(...medians)].map(Math.round),
    longestMs: Math.round(Math.max(...callers.map(({ longestMs }) => longestMs))),
    refused429Count: refusedCountOf(429),
    refused503Count: refusedCountOf(503),
    acknowledgedCount: callers.reduce((sum, { acknowledgedCount }) => sum + acknowledgedCount, 0),
  };
  process.stdout.write(`${JSON.stringify(figures)}\n`);
  expect(callers.flatMap(({ others }) => others)).toEqual([]);
  expect(figures.answeredLeast, "answers of the token that got the fewest").toBeGreaterThanOrEqual(figures.answeredMedian / 3);
  expect(figures.longestMs).toBeLessThanOrEqual(LONGEST_MS);
  expect(callers.map(({ unknownCount }) => unknownCount).filter((count) => count > 0)).toEqual([]);
  const stored = await storedOf(port);
  expect(callers.map(({ token }) => stored.get(token) ?? 0)).toEqual(callers.map(({ acknowledgedCount }) => acknowledgedCount));

  // Killed while all of them go on sending.
  const going = callers.map((caller) => caller.call(() => port, performance.now() + 60_000));
  await pause(1_000);
  server.child.kill("SIGKILL");
  await Promise.all(going);
  const again = await serve();
  const recovered = await storedOf(again.port);
  const wrong = callers.filter(({ token, acknowledgedCount, unknownCount }) => {
    const count = recovered.get(token) ?? 0;
    return count < acknowledgedCount || count > acknowledgedCount + unknownCount;
  });
  expect(wrong.map(({ token }) => token)).toEqual([]);
});
