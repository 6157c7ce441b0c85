import { readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { describe, expect, test } from "vitest";
import { LIMITS } from "../src/core/base/limits.js";
import { SERVER_LIMITS } from "../src/core/base/server-limits.js";

const root = fileURLToPath(new URL("..", import.meta.url));
const source = join(root, "src");

/** Each layer may import itself and those before it. */
const LAYERS = [
  "core/base", "core/calendar", "core/schema", "storage/column", "storage/segment", "storage/derived", "formats/arrow", "formats/parquet", "identity",
  "query/plan", "query/answer", "query/filter", "query/tables", "query/reports", "query", "store", "engine", "typed",
];
/** Layers beside these: what each may import. */
const BESIDE: Record<string, readonly string[]> = {
  ".": ["typed", "engine", "query/plan", "query", "core/base", "core/schema", "store"],
  http: ["core/base", "core/schema", "query/plan", "query", "engine"],
  clickhouse: ["core/base", "core/calendar", "core/schema", "identity", "query/plan", "storage/derived", "query/answer", "query/filter", "query", "store", "engine"],
  client: ["core/base", "core/schema", "query/plan", "query", "engine"],
  "platform/browser": ["core/base", "store"],
  "platform/node": ["core/base", "store", "engine", "http"],
  testing: ["core/base", "core/schema", "store"],
  tracker: [],
  cli: [...LAYERS, "http", "platform/node", "clickhouse", "page", ".", "examples"],
  charts: [],
  page: ["http", "charts"],
  embed: ["charts", "query/plan"],
  react: ["embed"],
};
/** The folders within a layer, which flow one way too: each may import itself and those before it, but no file that stands beside them. */
const WITHIN: Record<string, readonly string[]> = {
  "query/tables": ["people", "money", "touches", "sessions"],
  "query/reports": ["form", "events", "aggregate", "insights", "people", "revenue", "companies", "visits", "returns", "funnel", "trend"],
  store: ["storage", "batch", "journal", "files", "verify", "recovery", "live", "upkeep", "follow", "backup"],
  engine: ["ingest", "upkeep", "query", "scoped", "exports", "privacy", "tokens", "follow"],
  clickhouse: ["sql", "connection", "tables", "removal", "ingest", "query", "verify", "report", "privacy"],
  page: ["style", "state", "api", "format", "parts", "views"],
  http: ["shapes", "wire", "answer", "access", "files", "routing", "operations", "tracking", "collect", "clients", "routes", "overload", "request", "handler"],
};
/** The packages that may be imported, and where. */
const PACKAGES: Record<string, readonly string[]> = {
  "apache-arrow": ["formats/arrow"],
  hyparquet: ["formats/parquet"],
  "hyparquet/src/column.js": ["formats/parquet"],
  "hyparquet-writer": ["formats/parquet"],
  fflate: ["store"],
  re2js: ["query/filter"],
  zod: ["http"],
  bowser: ["http"],
  isbot: ["http"],
  "mmdb-lib": ["platform/node"],
  "@clickhouse/client": ["clickhouse"],
  preact: ["charts", "page", "embed"],
  "preact/hooks": ["charts", "page", "embed"],
  uplot: ["charts"],
  react: ["react"],
  "daybook/embed": ["react"],
};
const BUNDLE_BUDGET_BYTES = 150 * 1024;
const COMMENT_CHARS = 150;

interface Import {
  readonly file: string;
  readonly layer: string;
  readonly target: string;
}

function sourceFiles(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) return sourceFiles(path);
    return /\.(?:m?ts|tsx)$/.test(path) ? [path] : [];
  });
}

/** `core`, `storage`, `formats`, `query` and `platform` hold layers; every other folder is one. */
function layerOf(path: string): string {
  const [first = ".", ...rest] = relative(source, path).split("/");
  if (first === "..") return relative(root, path).split("/")[0] ?? "";
  if (rest.length === 0) return ".";
  return [...LAYERS, ...Object.keys(BESIDE)].find((layer) => layer === `${first}/${rest[0]}`) ?? first;
}

const imports: Import[] = sourceFiles(source).flatMap((file) => {
  const text = readFileSync(file, "utf8");
  const matches = text.matchAll(/(?:\bfrom\s+|\bimport\s*\(\s*|^import\s+)"([^"]+)"/gm);
  return [...matches].map((match) => ({ file, layer: layerOf(file), target: match[1] ?? "" }));
});

const internal = imports
  .filter(({ target }) => target.startsWith("."))
  .map(({ file, layer, target }) => ({ file: relative(root, file), layer, to: layerOf(resolve(dirname(file), target)) }))
  .filter(({ layer, to }) => layer !== to);

describe("the types", () => {
  test("have a name of their own each", () => {
    const files = new Map<string, string[]>();
    for (const file of sourceFiles(source)) {
      for (const [, name = ""] of readFileSync(file, "utf8").matchAll(/^(?:export )?(?:abstract )?(?:interface|type|class|enum) (\w+)/gm)) {
        files.set(name, [...(files.get(name) ?? []), relative(source, file)]);
      }
    }
    expect(files.size).toBeGreaterThan(1_000);
    expect([...files].filter(([, places]) => places.length > 1)).toEqual([]);
  });
});

describe("the layers", () => {
  test("the check sees the imports it judges", () => {
    expect(internal.length).toBeGreaterThan(100);
  });

  test("every folder belongs to a layer", () => {
    const layers = new Set([...LAYERS, ...Object.keys(BESIDE)]);
    expect(sourceFiles(source).filter((file) => !layers.has(layerOf(file)))).toEqual([]);
  });

  test("every layer imports only those before it", () => {
    const wrong = internal.filter(({ layer, to }) => {
      const allowed = BESIDE[layer] ?? LAYERS.slice(0, LAYERS.indexOf(layer));
      return !allowed.includes(to);
    });
    expect(wrong.map(({ file, to }) => `${file} imports ${to}/`)).toEqual([]);
  });

  test.each(Object.entries(WITHIN))("within %s every folder imports only those before it", (house, floors) => {
    // Files beside the folders come after them all.
    const floorOf = (path: string) => {
      const [first = "", ...rest] = relative(join(source, house), path).split("/");
      return rest.length === 0 ? floors.length : floors.indexOf(first);
    };
    const inside = imports
      .filter(({ layer, target }) => layer === house && target.startsWith("."))
      .map(({ file, target }) => ({ file, to: resolve(dirname(file), target) }))
      .filter(({ to }) => layerOf(to) === house);
    const wrong = inside.filter(({ file, to }) => floorOf(to) > floorOf(file));
    expect(inside.length).toBeGreaterThan(20);
    expect(wrong.map(({ file, to }) => `${relative(root, file)} imports ${relative(source, to)}`)).toEqual([]);
    const folders = readdirSync(join(source, house), { withFileTypes: true }).filter((entry) => entry.isDirectory());
    expect(folders.map(({ name }) => name).sort()).toEqual([...floors].sort());
  });

  test("only platform/node/ and cli/ import node modules", () => {
    const wrong = imports.filter(({ layer, target }) => target.startsWith("node:") && layer !== "platform/node" && layer !== "cli");
    expect(wrong.map(({ file, target }) => `${relative(root, file)} imports ${target}`)).toEqual([]);
  });

  test("packages are imported only where they belong", () => {
    const wrong = imports.filter(({ layer, target }) => {
      if (target.startsWith(".") || target.startsWith("node:")) return false;
      return PACKAGES[target]?.includes(layer) !== true;
    });
    expect(wrong.map(({ file, target }) => `${relative(root, file)} imports ${target}`)).toEqual([]);
  });

  test.each(["page", "embed"])("%s takes nothing of other folders but drawings and types", (folder) => {
    const taken = sourceFiles(join(source, folder)).flatMap((file) =>
      [...readFileSync(file, "utf8").matchAll(/^import .* from "(\..+)";$/gm)]
        .filter(([, target = ""]) => ![folder, "charts"].includes(layerOf(resolve(dirname(file), target))))
        .map(([line]) => ({ file: relative(root, file), line })));
    expect(taken.length).toBeGreaterThan(1);
    expect(taken.filter(({ line }) => !line.startsWith("import type "))).toEqual([]);
  });

  test("the oracle shares nothing with the engine but types, errors, and how inputs are named", () => {
    const oracle = sourceFiles(join(root, "test/support/oracle"));
    const taken = oracle.flatMap((file) =>
      [...readFileSync(file, "utf8").matchAll(/^import (?!type )[^"]*"(\.[^"]+)";$/gm)].map(([, target = ""]) => resolve(dirname(file), target)).filter((path) => path.startsWith(source)));
    expect(taken.length).toBeGreaterThan(20);
    expect(taken.filter((path) => !["core/base", "core/schema", "query/plan"].includes(layerOf(path)))).toEqual([]);
  });

  test("plan and answer see no data", () => {
    const core = ["core/base", "core/calendar", "core/schema"];
    const wrong = internal.filter(({ layer, to }) =>
      (layer === "query/plan" && !core.includes(to)) || (layer === "query/answer" && ![...core, "query/plan"].includes(to)));
    expect(wrong).toEqual([]);
  });
});

describe("comments", () => {
  const lines = sourceFiles(source).flatMap((file) => readFileSync(file, "utf8").split("\n").map((text, at) => ({ text, place: `${relative(root, file)}:${at + 1}` })));

  test("have lines of at most 150 characters", () => {
    const comments = lines.filter(({ text }) => /^\s*(?:\/\/|\/\*|\*)/.test(text));
    expect(comments.length).toBeGreaterThan(3_000);
    expect(comments.filter(({ text }) => text.length > COMMENT_CHARS).map(({ place }) => place)).toEqual([]);
  });

  test.each([
    ["limits", "LIMITS", LIMITS],
    ["server-limits", "SERVER_LIMITS", SERVER_LIMITS],
  ])("of bounds in %s are one short line each, and no other file has the same", (file, name, limits) => {
    const text = readFileSync(join(source, `core/base/${file}.ts`), "utf8");
    const commented = [...text.matchAll(/^ {2}\/\*\* (.+) \*\/\n {2}(\w+): /gm)].map(([, comment = "", bound = ""]) => ({ comment, bound }));
    expect(commented.map(({ bound }) => bound)).toEqual(Object.keys(limits));
    const [first = "", ...others] = text.split(`export const ${name} = {`);
    expect([first.match(/\/\*\*|\/\//g)?.length, others.join("").match(/\/\*\*|\/\//g)?.length]).toEqual([1, commented.length]);
    const told = new Set(commented.map(({ comment }) => comment));
    expect(told.size).toBe(commented.length);
    const elsewhere = lines.filter(({ text: line, place }) => !place.startsWith(`src/core/base/${file}.ts`) && [...told].some((comment) => line.includes(comment)));
    expect(elsewhere).toEqual([]);
  });
});

describe("the browser bundle", () => {
  test("the core bundles for browsers within its size budget, the regex engine apart", async () => {
    const result = await build({
      entryPoints: [join(source, "index.ts")],
      bundle: true,
      splitting: true,
      outdir: "unused",
      format: "esm",
      platform: "browser",
      target: "es2022",
      minify: true,
      write: false,
      metafile: true,
    });
    const entry = result.outputFiles.find((file) => file.path.endsWith("/index.js"));
    const chunks = Object.entries(result.metafile.outputs);
    const own = chunks.find(([path]) => path.endsWith("index.js"))?.[1];
    const eager = new Set(own?.imports.filter((use) => use.kind === "import-statement").map((use) => use.path));
    const texts = result.outputFiles.filter((file) => file === entry || [...eager].some((path) => file.path.endsWith(path)));
    const byteLength = texts.reduce((sum, file) => sum + gzipSync(file.contents).length, 0);
    expect(byteLength).toBeGreaterThan(1_000);
    expect(byteLength).toBeLessThan(BUNDLE_BUDGET_BYTES);
  });
});
