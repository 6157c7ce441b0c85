import { defineConfig } from "tsup";
import { keepConst } from "./build/keep-const.js";

const ENTRIES = {
  index: "src/index.ts",
  browser: "src/platform/browser/index.ts",
  clickhouse: "src/clickhouse/index.ts",
  client: "src/client/index.ts",
  http: "src/http/index.ts",
  node: "src/platform/node/index.ts",
  react: "src/react/index.ts",
  testing: "src/testing/index.ts",
  tracker: "src/tracker/index.ts",
  cli: "src/cli/main.ts",
};

// The rest of `dist` is made of this by build/finish.ts.
export default defineConfig({
  entry: ENTRIES,
  external: ["daybook/embed"],
  format: ["esm"],
  target: "node20",
  splitting: true,
  clean: true,
  removeNodeProtocol: false,
  plugins: [{ name: "keep-const", renderChunk: (code) => ({ code: keepConst(code) }) }],
  metafile: true,
  dts: { entry: { ...ENTRIES, embed: "src/embed/index.ts" }, compilerOptions: { ignoreDeprecations: "6.0" } },
});
