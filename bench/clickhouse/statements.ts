import { createClient } from "@clickhouse/client";
import type { Daybook } from "daybook";
import { openClickHouse, type ClickHouseClient } from "daybook/clickhouse";
import { clock } from "../clock.js";
import { windowOf } from "../measure.js";
import { questions } from "../questions.js";
import { ms } from "../table.js";
import { startServer } from "./server.js";

/** Which statements some questions send, and how long each takes until its first byte, over tables that stay. */
const [directory = "", part = "", isWhole = ""] = process.argv.slice(2);
if (directory === "") throw new Error("expected a directory of `bench:clickhouse`, and a part of a question's name");
const server = await startServer(directory);
const made = createClient({ url: server.url, database: "bench", request_timeout: 300_000 });
let isTold = false;
const client = {
  insert: made.insert.bind(made), command: made.command.bind(made), close: () => made.close(),
  async query(asked: Parameters<ClickHouseClient["query"]>[0]) {
    const startedMs = performance.now();
    const result = await made.query(asked as never);
    if (isTold) {
      let text = asked.query;
      if (isWhole !== "") for (const [name, value] of Object.entries(asked.query_params ?? {})) text = text.replaceAll(new RegExp(`\\{${name}:[^}]*\\}+`, "g"), JSON.stringify(value).slice(0, 60));
      console.log(`${ms(performance.now() - startedMs)} ms: ${text.replace(/\s+/g, " ").slice(0, isWhole === "" ? 200 : 10_000)}`);
    }
    return result;
  },
} as unknown as ClickHouseClient;
const daybook = await openClickHouse({ client, database: "bench", clock });
for (const question of questions.filter(({ name }) => name.includes(part))) {
  for (let round = 0; round < 3; round += 1) {
    isTold = round === 2;
    const [startedMs, before, own] = [performance.now(), server.cpuMs(), process.cpuUsage()];
    await question.ask(daybook as unknown as Daybook, windowOf(round));
    const { user, system } = process.cpuUsage(own);
    console.log(`${question.name}, round ${round}: ${ms(performance.now() - startedMs)} ms; of processors: server ${server.cpuMs() - before} ms, here ${ms((user + system) / 1_000)} ms`);
  }
}
await daybook.close();
await server.stop();
