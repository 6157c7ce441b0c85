import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { warm } from "../../src/cli/server.js";
import { fixedClock, memoryStorage, openDaybook, type Daybook, type Storage } from "../../src/index.js";
import { fileStorage } from "../../src/platform/node/index.js";
import { emptyDirectory, startProgram } from "./run.js";

const REPORTS = ["webOverview", "topCompanies", "ltvCohorts", "revenueByAttribution"];
const DAY_MS = 86_400_000;
const NOW_MS = Date.UTC(2026, 2, 1);

/** Days of visits, payments and companies, in segments. */
async function fill(storage: Storage): Promise<void> {
  const writer = await openDaybook({ storage, clock: fixedClock(NOW_MS) });
  for (let day = 1; day <= 5; day += 1)
    await writer.ingest([
      { name: "pageview", project: "shop", userId: `u${day}`, companyId: "c1", createdAt: NOW_MS - day * DAY_MS, url: "https://a.example/?utm_source=mail" },
      { name: "Payment", project: "shop", userId: `u${day}`, createdAt: NOW_MS - day * DAY_MS + 1_000, value: 5 },
    ]);
  await writer.close();
}

/** A store that was opened anew, and what its queries had to load, by report. */
async function opened() {
  const storage = memoryStorage();
  await fill(storage);
  const clock = fixedClock(NOW_MS);
  const loads: Record<string, number> = {};
  const daybook = await openDaybook({ storage, clock, onWork: (report, { loadCount }) => (loads[report] = loadCount) });
  return { daybook, loads };
}

async function askedOf(daybook: Daybook, loads: Readonly<Record<string, number>>): Promise<Record<string, number>> {
  await daybook.webOverview({ project: "shop" });
  await daybook.topCompanies();
  await daybook.ltvCohorts({ project: "shop" });
  await daybook.revenueByAttribution({ project: "shop" });
  return { ...loads };
}

test("What a page asks first is in memory once it was asked before.", async () => {
  const cold = await opened();
  const first = await askedOf(cold.daybook, cold.loads);
  const { daybook, loads } = await opened();
  await warm([daybook], new AbortController().signal);
  const later = await askedOf(daybook, loads);
  for (const report of REPORTS) expect([report, first[report], later[report]]).toEqual([report, expect.toSatisfy((count: number) => count > 0), 0]);
});

test("It ends when it is told to, and where there is nothing to ask or nobody who answers.", async () => {
  const { daybook, loads } = await opened();
  await warm([daybook], AbortSignal.abort());
  expect(loads).toEqual({});
  await daybook.close();
  await warm([daybook], new AbortController().signal);
  const empty = await openDaybook({ storage: memoryStorage() });
  await warm([empty], new AbortController().signal);
  expect(loads).toEqual({});
});

test.each(["a store", "acme"])("A server does so with the one organization that it serves, unless it is to stay cold: %s", async (name) => {
  const directory = await emptyDirectory();
  const isStore = name === "a store";
  await fill(fileStorage(isStore ? directory : join(directory, name)));
  const tokens = join(await emptyDirectory(), "tokens.json");
  await writeFile(tokens, JSON.stringify([{ token: "sk_test_0123456789abcdefgh", role: "owner", scopes: ["*"], ...(isStore ? {} : { organization: name }) }]));
  /** What is in memory: looked at until it is more than that. */
  const memoryOf = async (args: readonly string[], leastByteLength: number) => {
    const server = startProgram("src/cli/main.ts", ["serve", "--data", directory, "--port", "0", "--quiet", "--tokens", tokens, ...args]);
    const [, url = ""] = await server.said(/^daybook listening on (http:\/\/\S+)$/m);
    try {
      for (;;) {
        await new Promise((resolve) => setTimeout(resolve, 100));
        const answer = await fetch(`${url}/v1/stats`, { headers: { authorization: "Bearer sk_test_0123456789abcdefgh" } });
        const { memory_byte_length: byteLength } = (await answer.json()) as { memory_byte_length: number };
        if (byteLength > leastByteLength) return byteLength;
      }
    } finally {
      server.child.kill("SIGTERM");
      expect(await server.finished).toMatchObject({ code: 0, stderr: "" });
    }
  };
  const coldByteLength = await memoryOf(["--cold"], 0);
  expect(await memoryOf([], coldByteLength)).toBeGreaterThan(coldByteLength);
});
