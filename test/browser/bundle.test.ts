import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { expect, test } from "vitest";
import { ROOT } from "../cli/run.js";

/** Bundles a program for browsers. Where something needs a module of Node this fails, as browsers have none. */
async function bundled(contents: string) {
  const { metafile, outputFiles } = await build({
    stdin: { contents, resolveDir: ROOT, loader: "ts" },
    bundle: true, splitting: true, format: "esm", platform: "browser", target: "es2022", minify: true,
    outdir: "unused", write: false, metafile: true, logLevel: "silent",
  });
  const left = Object.values(metafile.outputs).flatMap(({ imports }) => imports.filter(({ external }) => external === true).map(({ path }) => path));
  return { inputs: Object.keys(metafile.inputs), left, gzipBytes: outputFiles.reduce((sum, { contents: each }) => sum + gzipSync(each).length, 0) };
}

test("the engine and its storage for browsers need nothing that browsers do not have", async () => {
  const { inputs, left } = await bundled('export * from "daybook"; export * from "daybook/browser";');
  expect(inputs).toEqual(expect.arrayContaining(["src/index.ts", "src/platform/browser/opfs-storage.ts"]));
  expect(inputs.filter((path) => path.startsWith("src/platform/node/"))).toEqual([]);
  expect(left).toEqual([]);
  await expect(bundled('export * from "daybook/node";')).rejects.toThrow('Could not resolve "node:');
});

test("the storage for browsers is small, and brings no engine", async () => {
  const { inputs, gzipBytes } = await bundled('export * from "daybook/browser";');
  expect(inputs.filter((path) => path.startsWith("src/engine/"))).toEqual([]);
  expect(gzipBytes).toBeLessThan(4_096);
});
