import { join } from "node:path";
import { openDaybook, verifyStore } from "daybook";
import { fileStorage } from "daybook/node";
import { expect, test } from "vitest";
import { crashEvent } from "./crash-events.js";
import { emptyDirectory, startProgram } from "./run.js";

const TOKEN = "sk_test_0123456789abcdef";
const CLIENT_COUNT = 6;
const BATCH_ROWS = 50;

test("SIGTERM under load: what was answered is stored, what is in flight is answered, and the process ends with 0.", async () => {
  const directory = await emptyDirectory();
  const server = startProgram("src/cli/main.ts", ["serve", "--quiet", "--port", "0", "--data", directory], { env: { DAYBOOK_TOKEN: TOKEN } });
  const [, url = ""] = await server.said(/^daybook listening on (http:\/\/\S+)$/m);
  const headers = { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" };
  const answered: number[] = [];
  let isStopping = false;
  let answerCount = 0;
  let isLoaded = (): void => undefined;
  const loaded = new Promise<void>((resolve) => {
    isLoaded = resolve;
  });
  const client = async (writer: number): Promise<string> => {
    answered[writer] = 0;
    for (let next = 0; ; next += BATCH_ROWS) {
      const events = Array.from({ length: BATCH_ROWS }, (_, at) => crashEvent(next + at, writer));
      try {
        const response = await fetch(`${url}/v1/events`, { method: "POST", headers, body: JSON.stringify({ events }) });
        if (response.status === 503 && !isStopping) {
          // Overloaded: a machine with much else to do may be. The same once more.
          await response.arrayBuffer();
          next -= BATCH_ROWS;
          continue;
        }
        if (response.status !== 200) return String(response.status);
        expect(await response.json()).toEqual({ accepted: BATCH_ROWS, duplicates: 0, rejected: [], adjusted: [] });
      } catch (error) {
        return error instanceof TypeError ? "refused" : `failed: ${String(error)}`;
      }
      answered[writer] = next + BATCH_ROWS;
      answerCount += 1;
      if (answerCount === 60) isLoaded();
    }
  };
  const clients = Array.from({ length: CLIENT_COUNT }, (_, writer) => client(writer));
  await loaded;
  isStopping = true;
  server.child.kill("SIGTERM");
  expect(await server.finished).toMatchObject({ code: 0, signal: null, stderr: "" });
  // Connections end, or are refused; a request that came before is answered.
  for (const outcome of await Promise.all(clients)) expect(["refused", "503"]).toContain(outcome);
  const storage = fileStorage(join(directory, "default"));
  expect((await verifyStore(storage)).findings).toEqual([]);
  const daybook = await openDaybook({ storage });
  const storedCount = await daybook.countEvents();
  const answeredCount = answered.reduce((sum, count) => sum + count, 0);
  for (const [writer, count] of answered.entries()) {
    const again = Array.from({ length: count }, (_, number) => crashEvent(number, writer));
    expect(await daybook.ingest(again)).toEqual({ accepted: 0, duplicates: count, rejected: [], adjusted: [] });
  }
  expect(answeredCount).toBeGreaterThanOrEqual(60 * BATCH_ROWS);
  expect(storedCount).toBeLessThanOrEqual(answeredCount + CLIENT_COUNT * BATCH_ROWS);
  await daybook.close();
});
