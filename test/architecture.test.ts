import { readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { describe, expect, test } from "vitest";
import { LIMITS } from "../src/base/limits.js";
import { SERVER_LIMITS } from "../src/base/server-limits.js";

const root = fileURLToPath(new URL("..", import.meta.url));
const source = join(root, "src");

/** Each folder may import itself and those before it. */
const FLOORS = ["base", "calendar", "schema", "column", "segment", "derived", "arrow", "parquet", "identity", "plan", "answer", "filter", "table", "report", "store", "engine", "typed"];
/** Entries beside the tower: what each may import. */
const ENTRIES: Record<string, readonly string[]> = {
  ".": ["typed", "engine", "plan", "base", "schema", "store"],
  http: ["base", "schema", "plan", "engine"],
  clickhouse: ["base", "calendar", "schema", "identity", "plan", "derived", "answer", "filter", "store", "engine"],
  client: ["base", "schema", "plan", "engine"],
  browser: ["base", "store"],
  node: ["base", "store", "engine", "http"],
  testing: ["base", "schema", "store", "engine"],
  tracker: [],
  cli: [...FLOORS, "http", "node", "clickhouse", "page", ".", "examples"],
  page: ["http"],
};
/** The folders within a folder, which flow one way too: each may import itself and those before it, but no file that stands beside them. */
const TOWERS: Record<string, readonly string[]> = {
  table: ["people", "money", "touches", "sessions"],
  report: ["form", "events", "aggregate", "insights", "people", "revenue", "companies", "visits", "returns", "funnel", "trend"],
  store: ["storage", "batch", "journal", "files", "verify", "recovery", "live", "upkeep", "follow", "backup"],
  engine: ["ingest", "upkeep", "query", "exports", "privacy", "follow"],
  clickhouse: ["sql", "connection", "tables", "verify", "removal", "ingest", "query", "report", "privacy"],
  page: ["style", "state", "ask", "format", "parts", "views", "frame"],
  http: ["shapes", "wire", "answer", "access", "files", "routing", "operations", "tracking", "collect", "clients", "routes", "overload", "request", "handler"],
};
/** The packages that may be imported, and where. */
const PACKAGES: Record<string, readonly string[]> = {
  "apache-arrow": ["arrow"],
  hyparquet: ["parquet"],
  "hyparquet/src/column.js": ["parquet"],
  "hyparquet-writer": ["parquet"],
  fflate: ["store"],
  re2js: ["filter"],
  zod: ["http"],
  bowser: ["http"],
  isbot: ["http"],
  "mmdb-lib": ["node"],
  "@clickhouse/client": ["clickhouse"],
  preact: ["page"],
  "preact/hooks": ["page"],
  uplot: ["page"],
};
const BUNDLE_BUDGET_BYTES = 150 * 1024;
const COMMENT_CHARS = 150;

interface Import {
  readonly file: string;
  readonly folder: string;
  readonly target: string;
}

function sourceFiles(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) return sourceFiles(path);
    return /\.(?:m?ts|tsx)$/.test(path) ? [path] : [];
  });
}

function folderOf(path: string): string {
  const [first, ...rest] = relative(source, path).split("/");
  if (first === "..") return relative(root, path).split("/")[0] ?? "";
  return rest.length === 0 ? "." : (first ?? ".");
}

const imports: Import[] = sourceFiles(source).flatMap((file) => {
  const text = readFileSync(file, "utf8");
  const matches = text.matchAll(/(?:\bfrom\s+|\bimport\s*\(\s*|^import\s+)"([^"]+)"/gm);
  return [...matches].map((match) => ({ file, folder: folderOf(file), target: match[1] ?? "" }));
});

const internal = imports
  .filter(({ target }) => target.startsWith("."))
  .map(({ file, folder, target }) => ({ file: relative(root, file), folder, to: folderOf(resolve(dirname(file), target)) }))
  .filter(({ folder, to }) => folder !== to);

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

  test("every folder imports only what stands above it", () => {
    const wrong = internal.filter(({ folder, to }) => {
      const allowed = ENTRIES[folder] ?? FLOORS.slice(0, FLOORS.indexOf(folder));
      return !allowed.includes(to);
    });
    expect(wrong.map(({ file, to }) => `${file} imports ${to}/`)).toEqual([]);
  });

  test.each(Object.entries(TOWERS))("within %s every folder imports only what stands above it", (house, floors) => {
    // Files beside the folders stand below them all.
    const floorOf = (path: string) => {
      const [first = "", ...rest] = relative(join(source, house), path).split("/");
      return rest.length === 0 ? floors.length : floors.indexOf(first);
    };
    const inside = imports
      .filter(({ folder, target }) => folder === house && target.startsWith("."))
      .map(({ file, target }) => ({ file, to: resolve(dirname(file), target) }))
      .filter(({ to }) => folderOf(to) === house);
    const wrong = inside.filter(({ file, to }) => floorOf(to) > floorOf(file));
    expect(inside.length).toBeGreaterThan(20);
    expect(wrong.map(({ file, to }) => `${relative(root, file)} imports ${relative(source, to)}`)).toEqual([]);
    const folders = readdirSync(join(source, house), { withFileTypes: true }).filter((entry) => entry.isDirectory());
    expect(folders.map(({ name }) => name).sort()).toEqual([...floors].sort());
  });

  test("only node/ and cli/ import node modules", () => {
    const wrong = imports.filter(({ folder, target }) => target.startsWith("node:") && folder !== "node" && folder !== "cli");
    expect(wrong.map(({ file, target }) => `${relative(root, file)} imports ${target}`)).toEqual([]);
  });

  test("packages are imported only where they belong", () => {
    const wrong = imports.filter(({ folder, target }) => {
      if (target.startsWith(".") || target.startsWith("node:")) return false;
      return PACKAGES[target]?.includes(folder) !== true;
    });
    expect(wrong.map(({ file, target }) => `${relative(root, file)} imports ${target}`)).toEqual([]);
  });

  test("the page takes nothing of other folders but types", () => {
    const taken = sourceFiles(join(source, "page")).flatMap((file) =>
      [...readFileSync(file, "utf8").matchAll(/^import .* from "(\..+)";$/gm)]
        .filter(([, target = ""]) => folderOf(resolve(dirname(file), target)) !== "page")
        .map(([line]) => ({ file: relative(root, file), line })));
    expect(taken.length).toBeGreaterThan(2);
    expect(taken.filter(({ line }) => !line.startsWith("import type "))).toEqual([]);
  });

  test("the oracle shares nothing with the engine but types, errors, and how inputs are named", () => {
    const oracle = sourceFiles(join(root, "test/support/oracle"));
    const taken = oracle.flatMap((file) =>
      [...readFileSync(file, "utf8").matchAll(/^import (?!type )[^"]*"(\.[^"]+)";$/gm)].map(([, target = ""]) => resolve(dirname(file), target)).filter((path) => path.startsWith(source)));
    expect(taken.length).toBeGreaterThan(20);
    expect(taken.filter((path) => !["base", "schema", "plan"].includes(folderOf(path)))).toEqual([]);
  });

  test("plan and answer see no data", () => {
    const wrong = internal.filter(({ folder, to }) =>
      (folder === "plan" && !["base", "calendar", "schema"].includes(to)) || (folder === "answer" && !["base", "calendar", "schema", "plan"].includes(to)));
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
    const text = readFileSync(join(source, `base/${file}.ts`), "utf8");
    const commented = [...text.matchAll(/^ {2}\/\*\* (.+) \*\/\n {2}(\w+): /gm)].map(([, comment = "", bound = ""]) => ({ comment, bound }));
    expect(commented.map(({ bound }) => bound)).toEqual(Object.keys(limits));
    const [first = "", ...others] = text.split(`export const ${name} = {`);
    expect([first.match(/\/\*\*|\/\//g)?.length, others.join("").match(/\/\*\*|\/\//g)?.length]).toEqual([1, commented.length]);
    const told = new Set(commented.map(({ comment }) => comment));
    expect(told.size).toBe(commented.length);
    const elsewhere = lines.filter(({ text: line, place }) => !place.startsWith(`src/base/${file}.ts`) && [...told].some((comment) => line.includes(comment)));
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
