/** The command line. */
export const CLI = "src/cli/main.ts";

/** Programs that tests start as processes of their own, from the root. */
export const PROGRAMS: readonly string[] = [
  CLI,
  ...["attribution", "cdnow", "client", "custom-storage", "embed", "http", "insights", "nightly-copy", "online-retail", "serve-embedded", "typed-events"].map((name) => `examples/${name}.ts`),
  ...["busy-writer", "crash-writer", "leased-writer", "limited-writer"].map((name) => `test/cli/${name}.ts`),
  "test/clickhouse/writer.ts",
  "test/client/second-process.ts",
  "test/conformance/lock-holder.ts",
  "test/engine/small-heap.ts",
  "test/http/collect/forgetful-server.ts",
  "test/platform/node/broken-worker.ts",
  "test/query/reports/own-values.ts",
  "test/store/background-sealing-idle.ts",
];

/** Name of the bundle of one of them. */
export function bundleOf(path: string): string {
  return path.replace(/\.ts$/, "").replaceAll("/", "-");
}
