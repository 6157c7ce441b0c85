import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import * as core from "daybook";
import { afterAll, expect, it } from "vitest";
import { LIMITS } from "../../src/core/base/limits.js";
import { backgroundSealing } from "../../src/platform/node/background-sealing.js";
import { bundledProgram } from "../bundled.js";
import { ROOT } from "../cli/run.js";

/** The package as a program has it a second time that requires it where others import it. */
const copy = await (async () => {
  const directory = mkdtempSync(join(tmpdir(), "daybook-copy-"));
  afterAll(() => rmSync(directory, { recursive: true }));
  const outfile = join(directory, "copy.cjs");
  await build({ entryPoints: [join(ROOT, "src/index.ts")], bundle: true, platform: "node", format: "cjs", outfile, logLevel: "error" });
  return createRequire(import.meta.url)(outfile) as typeof core;
})();

const events = Array.from({ length: LIMITS.workerSealRowCount }, (_, at) => ({ id: `${at}`, name: "page_view", createdAt: new Date(86_400_000 + at) }));

it("An error of one copy is one of the other, and nothing else is.", () => {
  expect(copy.DaybookError).not.toBe(core.DaybookError);
  const error = new copy.DaybookError("closed", "closed");
  expect(error instanceof core.DaybookError).toBe(true);
  expect(new core.DaybookError("closed", "closed") instanceof copy.DaybookError).toBe(true);
  for (const other of [new Error("closed"), { code: "closed" }, null, undefined, 1, core.DaybookError]) expect(other instanceof core.DaybookError).toBe(false);
  class OwnError extends core.DaybookError {}
  expect(error instanceof OwnError).toBe(false);
  expect(new OwnError("closed", "closed") instanceof OwnError).toBe(true);
  expect(new OwnError("closed", "closed") instanceof copy.DaybookError).toBe(true);
});

it("A handler of one copy answers for a Daybook of the other, with the codes of its errors.", async () => {
  const { createHandler, createToken, memoryTokens } = await import("daybook/http");
  const daybook = await copy.openDaybook({ storage: core.memoryStorage() });
  const { value, record } = createToken({ role: "owner", scopes: ["*"], nowMs: Date.now() });
  const handler = createHandler({ organizations: { default: daybook }, tokens: memoryTokens([record]) });
  const ask = (path: string, body: object) => handler(new Request(`http://localhost${path}`, { method: "POST", headers: { authorization: `Bearer ${value}`, "content-type": "application/json" }, body: JSON.stringify(body) }));
  expect(await (await ask("/analytics/count-events", { event_name: "signup" })).json()).toMatchObject({ data: 0 });
  const refused = await ask("/analytics/count-events", { start_date: "2026-02-30" });
  expect([refused.status, await refused.json()]).toEqual([400, expect.objectContaining({ error: expect.objectContaining({ code: "invalid_date" }) as object })]);
  await daybook.close();
});

it("A seal worker of one copy makes the segments of a storage of the other.", async () => {
  const thread = backgroundSealing({ program: bundledProgram("seal-worker") });
  const wereMade: boolean[] = [];
  const sealWorker: core.DaybookOptions["sealWorker"] = {
    async make(...asked) {
      const made = await thread.make(...asked);
      wereMade.push(made !== null);
      return made;
    },
  };
  const daybook = await copy.openDaybook({ storage: copy.memoryStorage(), sealWorker });
  await daybook.ingest(events);
  await daybook.seal();
  expect(wereMade).toEqual([true]);
  expect(await daybook.countEvents({ startDate: "1970-01-01" })).toBe(events.length);
  await daybook.close();
  await thread.close();
});

it("A reader of one copy finds what a writer of the other has taken in, in memory too.", async () => {
  const storage = core.memoryStorage();
  const writer = await core.openDaybook({ storage });
  await writer.ingest(events);
  const reader = await copy.openDaybook({ storage, readOnly: true });
  expect(await reader.countEvents({ startDate: "1970-01-01" })).toBe(events.length);
  await expect(copy.openDaybook({ storage })).rejects.toMatchObject({ code: "store_locked" });
  await reader.close();
  await writer.close();
});
