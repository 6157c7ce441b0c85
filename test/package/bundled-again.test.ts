import { createRequire } from "node:module";
import { join } from "node:path";
import { build } from "esbuild";
import { memoryStorage, openDaybook } from "daybook";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { LIMITS } from "../../src/core/base/limits.js";
import { createHandler, memoryTokens } from "../../src/http/index.js";
import { emptyDirectory, ROOT } from "../cli/run.js";
import { loadedAtOnce } from "./loaded-at-once.js";
import type * as Node from "../../src/platform/node/index.js";

/** `daybook/node` as part of a program that is one CommonJS file: such a file does not say where it is. */
async function oneFile(): Promise<typeof Node> {
  const outfile = join(await emptyDirectory(), "program.cjs");
  await build({ entryPoints: [join(ROOT, "src/platform/node/index.ts")], bundle: true, platform: "node", format: "cjs", outfile, logLevel: "error" });
  return createRequire(import.meta.url)(outfile) as typeof Node;
}

describe("bundled to CommonJS by esbuild, daybook/node", () => {
  it("loads, and does without threads whose programs it is not told: each says so once", async () => {
    const warnings = vi.spyOn(process, "emitWarning").mockImplementation(() => undefined);
    onTestFinished(() => warnings.mockRestore());
    const { listenOnWorker, backgroundSealing } = await oneFile();
    const daybook = await openDaybook({ storage: memoryStorage(), sealWorker: backgroundSealing() });
    const events = Array.from({ length: LIMITS.workerSealRowCount }, (_, at) => ({ id: `${at}`, name: "page_view", createdAt: new Date(86_400_000 + at) }));
    for (let round = 0; round < 2; round += 1) {
      await daybook.ingest(events.map((event) => ({ ...event, id: `${round}-${event.id}` })));
      await daybook.seal();
    }
    const server = await listenOnWorker(createHandler({ organizations: { default: daybook }, tokens: memoryTokens([]) }));
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
    await server.close();
    expect(await daybook.countEvents({ startDate: "1970-01-01" })).toBe(2 * events.length);
    await daybook.close();
    const hint = /bundle of this format does not know its own location; the option "program" names another, see "Bundlers" in docs\/guide\/embedding\.md/;
    expect(warnings.mock.calls).toEqual([
      [expect.stringMatching(/the seal worker failed/), "DaybookWarning"],
      [expect.stringMatching(/requests are read on the thread of the handler/), "DaybookWarning"],
    ]);
    for (const [text] of warnings.mock.calls) expect(text).toMatch(hint);
  });
});

describe("the programs of threads", () => {
  it.each(["seal-worker", "socket-worker"])("%s is one file that needs nothing but Node: it runs wherever it is copied to", async (name) => {
    const entry = join(ROOT, `src/platform/node/${name}.mts`);
    const { metafile } = await build({ entryPoints: [entry], bundle: true, platform: "node", format: "esm", packages: "external", write: false, metafile: true, outdir: "out" });
    const imports = Object.values(metafile.outputs).flatMap((output) => output.imports.map(({ path }) => path));
    expect(imports.filter((path) => !path.startsWith("node:"))).toEqual([]);
    expect(imports).toContain("node:worker_threads");
  });
});

it("Importing the core loads no package: what few need is loaded when it is needed.", async () => {
  const loaded = [...(await loadedAtOnce(join(ROOT, "src/index.ts")))];
  expect(loaded.length).toBeGreaterThan(100);
  expect(loaded.filter((path) => !path.includes("src/"))).toEqual([]);
});
