// Opens a store, says how long that took, and stores events in batches, with a pause between them, until it fails or is ended. The first line of its
// input is waited for before it opens; another that says "host NAME" changes the name of its host.
import { execFileSync } from "node:child_process";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { DaybookError, openDaybook } from "../../src/index.js";
import { type FileStorageOptions, fileStorage } from "../../src/platform/node/index.js";
import { crashEvent } from "./crash-events.js";

const [directory = "", writer = "0", lockLeaseMs = "60000", isPatient = "false"] = process.argv.slice(2);
const PAUSE_MS = 5;
const say = (line: string) => void process.stdout.write(`${line}\n`);
const patience: FileStorageOptions = isPatient === "true" ? { onLockWait: ({ takeoverMs }) => say(`waits ${takeoverMs}`) } : {};
const storage = fileStorage(directory, { lockLeaseMs: Number(lockLeaseMs), ...patience });

const orders = createInterface({ input: process.stdin });
say("loaded");
await new Promise<void>((resolve) => orders.once("line", () => resolve()));
orders.on("line", (line) => {
  const [order, name = ""] = line.split(" ");
  if (order !== "host") return;
  execFileSync("hostname", [name]);
  say(`host ${name}`);
});

try {
  const startedMs = performance.now();
  const daybook = await openDaybook({ storage });
  say(`ready ${Math.round(performance.now() - startedMs)}`);
  void (async () => {
    while (daybook.health === "ok") await sleep(5);
    say(`health ${daybook.health}`);
  })();
  for (let next = 0, batch = 0; ; batch += 1) {
    await daybook.ingest(Array.from({ length: 20 }, (_, at) => crashEvent(next + at, Number(writer))));
    next += 20;
    say(`acknowledged ${next}`);
    if (batch % 7 === 6) await daybook.seal();
    await sleep(PAUSE_MS);
  }
} catch (error) {
  say(error instanceof DaybookError ? `failed ${error.code}: ${error.message}` : `foreign ${String(error)}`);
  process.exitCode = 1;
  orders.close();
}
