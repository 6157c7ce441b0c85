import { expect, test } from "vitest";
import { memoryStorage, openDaybook } from "../../src/index.js";
import { connectDaybook } from "../../src/client/index.js";
import { emptyDirectory, startProgram } from "../cli/run.js";
import { WAYS } from "../platform/node/ways.js";
import { handlerOver } from "./kit.js";
import { serve, TOKEN } from "./serve.js";

test.each(WAYS)("Over sockets %s many queries and writes at once are answered like one after the other.", async (_, listen) => {
  const daybook = await openDaybook({ storage: memoryStorage() });
  const listening = await listen(handlerOver(daybook));
  const client = connectDaybook({ url: listening.url, token: "sk_owner_0123456789abcdefgh" });
  const stored = await Promise.all(Array.from({ length: 40 }, (_, at) => client.ingest([{ name: "a", userId: `u${at}` }])));
  expect(stored).toEqual(Array(40).fill({ accepted: 1, duplicates: 0, rejected: [], adjusted: [] }));
  expect(await Promise.all(Array.from({ length: 100 }, () => client.countUniqueUsers()))).toEqual(Array(100).fill(40));
  await expect(client.countEvents({ startDate: "x" })).rejects.toMatchObject({ code: "invalid_date", details: { param: "startDate", requestId: "request-1" } });
  await listening.close();
  const alone = connectDaybook({ url: listening.url, token: "sk_owner_0123456789abcdefgh", retry: { attempts: 2, baseMs: 1 } });
  await expect(alone.countEvents()).rejects.toMatchObject({ code: "unreachable" });
  await Promise.all([client.close(), alone.close()]);
  await daybook.close();
});

test("A second process stores events in a store that another has open, and asks about them.", async () => {
  const { server, url } = await serve(await emptyDirectory());
  const run = await startProgram("test/client/second-process.ts", [url, TOKEN, "7"]).finished;
  expect([run.code, run.stderr]).toEqual([0, ""]);
  expect(JSON.parse(run.stdout)).toEqual({
    stored: { accepted: 7, duplicates: 0, rejected: [], adjusted: [] },
    answers: [7, 3, [{ day: "2026-03-01T00:00:00.000Z", count: 7 }], ["default", "shop"]],
    refused: "invalid_date",
  });
  server.child.kill("SIGTERM");
  expect((await server.finished).code).toBe(0);
});
