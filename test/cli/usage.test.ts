import { readdir, readFile, writeFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { QUERY_NAMES } from "../../src/query/queries.js";
import { daybookHere } from "./run-here.js";
import { daybook, emptyDirectory } from "./run.js";

/** A server that does not answer: what is wrong with the options is told first. */
const onClickHouse = (command: string) => [command, "--clickhouse", "http://127.0.0.1:9", "--database", "d"];
const QUERIES = QUERY_NAMES.join(", ");

describe("daybook", () => {
  test("--help lists every command", async () => {
    const { code, stdout, stderr } = await daybook(["--help"]);
    expect([code, stderr]).toEqual([0, ""]);
    for (const name of ["demo", "serve", "import", "export", "token", "verify", "backup", "restore", "stats", "query", "retention", "delete", "clickhouse"]) expect(stdout).toMatch(new RegExp(`^  ${name} +\\S`, "m"));
  });

  test.each(["demo", "serve", "import", "export", "token", "verify", "backup", "restore", "stats", "query", "retention", "delete", "clickhouse"])("%s --help says how it is used", async (name) => {
    const { code, stdout, stderr } = await daybookHere([name, "--help"]);
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout.startsWith(`Usage: daybook ${name}`)).toBe(true);
  });

  test("--version is that of the package", async () => {
    expect((await daybook(["--version"])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  test.each<[args: string[], message: string]>([
    [[], "daybook: expected a command: demo, serve, import, export, token, verify, backup, restore, stats, query, retention, delete, clickhouse (see daybook --help)"],
    [["improt"], 'daybook: unknown command "improt", expected one of demo, serve, import, export, token, verify, backup, restore, stats, query, retention, delete, clickhouse (see daybook --help)'],
    [["__proto__"], 'daybook: unknown command "__proto__", expected one of demo, serve, import, export, token, verify, backup, restore, stats, query, retention, delete, clickhouse (see daybook --help)'],
    [["clickhouse"], 'daybook clickhouse: expected "migrate", "load" or "sweep", got "" (see daybook clickhouse --help)'],
    [["clickhouse", "migrate"], "daybook clickhouse: --url is required (see daybook clickhouse --help)"],
    [["stats"], "daybook stats: --data is required (see daybook stats --help)"],
    [["stats", "--dta", "x"], "daybook stats: Unknown option '--dta' (see daybook stats --help)"],
    [["backup", "--data", "x"], "daybook backup: --out is required (see daybook backup --help)"],
    [["restore", "--from", "x"], "daybook restore: --data is required (see daybook restore --help)"],
    [["import", "--data", "x"], "daybook import: expected at least one FILE (see daybook import --help)"],
    [["import", "--data", "x", "-"], "daybook import: --format is required: standard input has no name (see daybook import --help)"],
    [["import", "--data", "x", "--format", "parquet", "-"], "daybook import: -: Parquet is read from its end, so it must be a file that is not gzipped (see daybook import --help)"],
    [["import", "--data", "x", "a.parquet.gz"], "daybook import: a.parquet.gz: Parquet is read from its end, so it must be a file that is not gzipped (see daybook import --help)"],
    [["export", "--data", "x", "--out", "a.parquet.gz"], "daybook export: --out: Parquet is already compressed, expected a name without .gz (see daybook export --help)"],
    [["export", "--data", "x", "--json-mark"], "daybook export: --json-mark is for arrow only (see daybook export --help)"],
    [["export", "--data", "x", "--raw-cells"], "daybook export: --raw-cells is for csv only (see daybook export --help)"],
    [["export", "--data", "none", "--from", "2026-03-02", "--to", "2026-03-01"], 'daybook export: --from: expected a start not after --to, got "2026-03-02" .. "2026-03-01" (see daybook export --help)'],
    [[...onClickHouse("export"), "--format", "arrow"], "daybook export: --format: expected ndjson or csv with --clickhouse, got arrow (see daybook export --help)"],
    [[...onClickHouse("import"), "--data", "x", "none.csv"], "daybook import: --clickhouse and --data cannot be combined (see daybook import --help)"],
    [[...onClickHouse("serve"), "--data", "x"], "daybook serve: --clickhouse and --data cannot be combined (see daybook serve --help)"],
    [["import", "--data", "x", "a.txt"], "daybook import: --format is required: a.txt does not indicate a format (see daybook import --help)"],
    [["import", "--data", "x", "--organization", "../up", "a.csv"], 'daybook import: --organization: expected at most 63 lower-case letters, digits, - and _, got "../up" (see daybook import --help)'],
    [["export", "--data", "x", "--format", "xml"], 'daybook export: --format: expected ndjson, csv, arrow, parquet, got "xml" (see daybook export --help)'],
    [["serve", "--data", "x", "--memory"], "daybook serve: --data and --memory cannot be combined (see daybook serve --help)"],
    [["serve", "--port", "99999"], 'daybook serve: --port: expected a number from 0 to 65535, got "99999" (see daybook serve --help)'],
    [["serve", "--query-seconds", "0"], 'daybook serve: --query-seconds: expected a whole number from 1 to 3600, got "0" (see daybook serve --help)'],
    [["serve", "--query-seconds", "3601"], 'daybook serve: --query-seconds: expected a whole number from 1 to 3600, got "3601" (see daybook serve --help)'],
    [["serve", "--query-seconds", "1.5"], 'daybook serve: --query-seconds: expected a whole number from 1 to 3600, got "1.5" (see daybook serve --help)'],
    [["serve", "--currency", "euro"], 'daybook serve: --currency: expected three capital letters like USD, got "euro" (see daybook serve --help)'],
    [["query", "--data", "x"], `daybook query: expected the NAME of a query: ${QUERIES} (see daybook query --help)`],
    [["query", "count", "--data", "x"], `daybook query: unknown query "count", expected one of ${QUERIES} (see daybook query --help)`],
    [["query", "trend", "funnel", "--data", "x"], 'daybook query: expected one NAME, also got "funnel" (see daybook query --help)'],
    [["query", "trend"], "daybook query: --data is required (see daybook query --help)"],
    [["query", "trend", "--data", "x", "--json", "[]"], "daybook query: --json: expected an object (see daybook query --help)"],
    [["query", "trend", "--data", "x", "--json", '{"project":"a"}', "--project", "b"], "daybook query: --project: --json names a different project (see daybook query --help)"],
    [["query", "trend", "--data", "x", "--currency", "usd"], 'daybook query: --currency: expected three capital letters like USD, got "usd" (see daybook query --help)'],
    [["retention", "get", "--data", "x"], 'daybook retention: expected set, off or sweep, got "get" (see daybook retention --help)'],
    [["retention", "set", "--data", "x", "--days", "7"], "daybook retention: expected one PROJECT, or --all (see daybook retention --help)"],
    [["retention", "set", "a", "--data", "x", "--days", "0"], 'daybook retention: --days: expected a whole number from 1 to 36525, got "0" (see daybook retention --help)'],
    [["delete", "--data", "x"], "daybook delete: expected --project, --before or both, or else --key (see daybook delete --help)"],
    [["delete", "--data", "x", "--before", "soon"], 'daybook delete: --before: expected YYYY-MM-DD or an RFC 3339 timestamp with a zone, got "soon" (see daybook delete --help)'],
    [["token", "make"], 'daybook token: expected create, list, revoke, sign or rotate-signing-key, got "make" (see daybook token --help)'],
    [["token", "create", "--data", "x", "--role", "king", "--scopes", "*"], 'daybook token: --role: expected owner, admin, member, viewer, got "king" (see daybook token --help)'],
  ])("bad usage %j ends with code 2 and one line", async (args, message) => {
    expect(await daybookHere(args)).toEqual({ code: 2, stdout: "", stderr: `${message}\n` });
  });

  test("as a process it says the same, and exits with the code", async () => {
    const { code, stdout, stderr } = await daybook(["stats", "--dta", "x"]);
    expect({ code, stdout, stderr }).toEqual({ code: 2, stdout: "", stderr: "daybook stats: Unknown option '--dta' (see daybook stats --help)\n" });
  });

  test("a failure exits 1 with one line that names the place", async () => {
    const directory = await emptyDirectory();
    const missing = await daybook(["import", "--data", directory, `${directory}/none.csv`]);
    expect([missing.code, missing.stdout, missing.stderr]).toEqual([1, "", `daybook import: ${directory}/none.csv: no such file\n`]);
    const absent = await daybookHere(["export", "--data", directory, "--organization", "nobody"]);
    expect([absent.code, absent.stderr]).toEqual([1, `daybook export: ${directory}: there is no organization "nobody" here\n`]);
    const empty = await daybookHere(["stats", "--data", `${directory}/nowhere`]);
    expect([empty.code, empty.stderr]).toEqual([1, `daybook stats: ${directory}/nowhere: there is no organization here\n`]);
  });

  test("a file that is missing, even the last of several, is told before anything is stored", async () => {
    const directory = await emptyDirectory();
    await writeFile(`${directory}/a.ndjson`, '{"name":"a"}\n');
    const files = [`${directory}/a.ndjson`, `${directory}/b.ndjson`];
    const run = await daybookHere(["import", "--data", `${directory}/data`, ...files]);
    expect([run.code, run.stdout, run.stderr]).toEqual([1, "", `daybook import: ${directory}/b.ndjson: no such file\n`]);
    const folder = await daybookHere(["import", "--data", `${directory}/data`, "--format", "csv", directory]);
    expect([folder.code, folder.stderr]).toEqual([1, `daybook import: ${directory}: is a directory, expected a file\n`]);
    expect(await readdir(directory)).toEqual(["a.ndjson"]);
  });

  test.each([
    ["serve", "--port", "0"],
    ["demo", "--once"],
    ["stats"],
    ["query", "countEvents"],
    ["export"],
    ["token", "list"],
    ["token", "revoke", "tok_1"],
    ["token", "create", "--role", "viewer", "--scopes", "*"],
  ])("a data directory that is a file is named: %s %s %s", async (...args) => {
    const directory = await emptyDirectory();
    await writeFile(`${directory}/file`, "");
    for (const path of [`${directory}/file`, `${directory}/file/below`]) {
      const { code, stderr } = await daybookHere([...args, "--data", path]);
      expect([code, stderr]).toEqual([1, `daybook ${args[0]}: ${path}: is not a directory\n`]);
    }
  });

  test.each([["list"], ["revoke", "tok_1"]])("token %s does not make the directory that it does not find", async (...args) => {
    const directory = await emptyDirectory();
    const { code, stdout, stderr } = await daybookHere(["token", ...args, "--data", `${directory}/typo`]);
    expect([code, stdout, stderr]).toEqual([1, "", `daybook token: ${directory}/typo: no such directory\n`]);
    expect(await readdir(directory)).toEqual([]);
  });

  test("an export with a bad date names the option, and leaves the file of an earlier export alone", async () => {
    const directory = await emptyDirectory();
    await writeFile(`${directory}/a.ndjson`, '{"name":"a"}\n');
    await daybookHere(["import", "--data", `${directory}/data`, `${directory}/a.ndjson`]);
    const out = `${directory}/out.ndjson`;
    const exported = (...args: string[]) => daybookHere(["export", "--data", `${directory}/data`, "--out", out, ...args]);
    expect((await exported()).code).toBe(0);
    const before = await readFile(out, "utf8");
    for (const format of ["ndjson", "csv", "arrow", "parquet"]) {
      const { code, stderr } = await exported("--format", format, "--from", "soon");
      expect([code, stderr.replace(/expected.*/, "…")]).toEqual([2, "daybook export: --from: …\n"]);
    }
    const { code, stderr } = await exported("--from", "2026-03-02", "--to", "2026-03-01");
    expect([code, stderr]).toEqual([2, 'daybook export: --from: expected a start not after --to, got "2026-03-02" .. "2026-03-01" (see daybook export --help)\n']);
    expect(await readFile(out, "utf8")).toBe(before);
  });
});
