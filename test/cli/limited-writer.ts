// Stores events under a limit of the operating system, as limits.long.test.ts orders on standard input; answers a line of JSON for each order.
import { closeSync, openSync } from "node:fs";
import { createInterface } from "node:readline";
import { DaybookError, type Daybook, openDaybook } from "../../src/index.js";
import { fileStorage } from "../../src/platform/node/index.js";
import { crashEvent } from "./crash-events.js";

const [directory = "", memoryBudgetBytes = "0"] = process.argv.slice(2);
const open = () => openDaybook({ storage: fileStorage(directory), memoryBudgetBytes: Number(memoryBudgetBytes) });
const taken: number[] = [];
let next = 0;
let daybook: Daybook | null = null;

/** Takes every file descriptor there is but one: opening anything that needs two fails. */
function takeFiles(): void {
  try {
    for (;;) taken.push(openSync("/dev/null", "r"));
  } catch {
    return;
  }
}

const orders: Readonly<Record<string, () => Promise<unknown>>> = {
  open: async () => {
    daybook = await open();
    return "open";
  },
  ingest: async () => {
    const result = await daybook?.ingest(Array.from({ length: 500 }, (_, at) => crashEvent(next + at)));
    next += 500;
    return { ...result, acknowledged: next };
  },
  count: () => daybook?.countEvents() ?? Promise.resolve(null),
  pages: () => daybook?.aggregate({ field: "url", limit: 1 }) ?? Promise.resolve(null),
  health: () => Promise.resolve(daybook?.health),
  seal: async () => {
    await daybook?.seal();
    return "sealed";
  },
  takeFiles: () => Promise.resolve(takeFiles()).then(() => "taken"),
  freeFiles: () => Promise.resolve(taken.splice(0).forEach((file) => closeSync(file))).then(() => "free"),
  close: async () => {
    await daybook?.close();
    daybook = null;
    return "closed";
  },
};

for await (const order of createInterface({ input: process.stdin })) {
  const outcome = await orders[order]?.().catch((error: unknown) => (error instanceof DaybookError ? { code: error.code } : { foreign: String(error) }));
  process.stdout.write(`${JSON.stringify(outcome ?? null)}\n`);
}
