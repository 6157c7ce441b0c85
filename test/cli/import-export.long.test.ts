import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { daybook } from "./run.js";

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "daybook-import-"));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

const EVENTS = [
  { id: "a", name: "pageview", userId: "ada", createdAt: "2026-03-01T09:00:00.000Z", url: "/x?y=1,2", metadata: { list: [1, "two", null], deep: { "a.b": true } } },
  { name: "naïve, \"quoted\"\nname", user_id: 7, timestamp: 1_772_400_000_000, value: 0.1, currency: "EUR", metadata: { text: "\r\n,\"" } },
  { name: "bare" , createdAt: "2026-03-03T00:00:00Z", notify: true, location_country: "DE", anonymousId: "anon-1", project: "shop" },
];
const NDJSON = EVENTS.map((event) => `${JSON.stringify(event)}\n`).join("");

async function file(name: string, content: string | Uint8Array): Promise<string> {
  const path = join(directory, name);
  await writeFile(path, content);
  return path;
}

async function exported(organization: string, ...options: string[]): Promise<string> {
  const { code, stdout, stderr } = await daybook(["export", "--data", directory, "--organization", organization, ...options]);
  expect([code, stderr]).toEqual([0, ""]);
  return stdout;
}

describe("import and export", () => {
  test("importing a file twice adds nothing, from a path, gzipped, or from standard input", async () => {
    const plain = await file("events.ndjson", NDJSON);
    const first = await daybook(["import", "--data", directory, "--organization", "twice", plain]);
    expect([first.code, first.stderr]).toEqual([0, ""]);
    expect(first.stdout).toMatch(/events\.ndjson: accepted 3 \/ duplicates 0 \/ rejected 0 \(.+\)\n$/);

    const gzipped = await file("events.ndjson.gz", gzipSync(NDJSON));
    const second = await daybook(["import", "--data", directory, "--organization", "twice", plain, gzipped]);
    expect(second.stdout.match(/accepted 0 \/ duplicates 3 \/ rejected 0/g)).toHaveLength(2);

    const stdin = ["import", "--data", directory, "--organization", "twice", "--format", "ndjson", "--set", "events.ndjson", "-"];
    const third = await daybook(stdin, { input: gzipSync(NDJSON) });
    expect(third.stdout).toMatch(/^-: accepted 0 \/ duplicates 3/);
  });

  test("times ahead of the clock are counted and shown, and kept with --future keep", async () => {
    const path = await file("plans.ndjson", ['"2026-03-01T09:00:00Z"', '"9999-01-01T00:00:00Z"', "1740823200"].map((time) => `{"name":"visit","createdAt":${time}}\n`).join(""));
    const { stdout } = await daybook(["import", "--data", directory, "--organization", "plans", path]);
    expect(stdout).toMatch(/plans\.ndjson: accepted 2 \/ duplicates 0 \/ rejected 1, 1 stored with the time of receipt \(.+\)\n/);
    expect(stdout).toMatch(/\n {2}line 3: createdAt: expected epoch milliseconds, these look like seconds \(for 2025-03-01T10:00:00\.000Z send 1740823200000, .+\n/);
    expect(stdout).toMatch(/\n {2}line 2: createdAt: more than 5 minutes ahead of the clock, stored with the time of receipt, 20\d\d-.+Z\n$/);
    const kept = await daybook(["import", "--data", directory, "--organization", "kept", "--future", "keep", path]);
    expect(kept.stdout).toMatch(/plans\.ndjson: accepted 2 \/ duplicates 0 \/ rejected 1 \(/);
    expect(await exported("kept")).toContain('"createdAt":"9999-01-01T00:00:00.000Z"');
    const wrong = await daybook(["import", "--data", directory, "--future", "drop", path]);
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('--future: expected adjust, keep, got "drop"')]);
  });

  test("an export imports to the same export, as NDJSON and as CSV", async () => {
    const source = await file("source.ndjson", NDJSON);
    await daybook(["import", "--data", directory, "--organization", "source", source]);
    const ndjson = await exported("source");
    expect(ndjson.trim().split("\n").map((line) => (JSON.parse(line) as { name: string }).name)).toEqual(["pageview", 'naïve, "quoted"\nname', "bare"]);
    expect(JSON.parse(ndjson.split("\n")[0] ?? "")).toMatchObject({ userId: "ada", url: "/x?y=1,2", metadata: EVENTS[0]?.metadata });

    const copy = await file("copy.ndjson", ndjson);
    await daybook(["import", "--data", directory, "--organization", "copy", copy]);
    expect(await exported("copy")).toBe(ndjson);

    const csv = join(directory, "out.csv.gz");
    expect((await daybook(["export", "--data", directory, "--organization", "source", "--format", "csv", "--raw-cells", "--out", csv])).stdout).toMatch(/out\.csv\.gz: 3 events/);
    expect((await readFile(csv)).subarray(0, 2)).toEqual(Buffer.from([0x1f, 0x8b]));
    const viaCsv = await daybook(["import", "--data", directory, "--organization", "via-csv", csv]);
    expect(viaCsv.stdout).toMatch(/accepted 3 \/ duplicates 0 \/ rejected 0/);
    expect(await exported("via-csv")).toBe(ndjson);
  });

  test.each(["arrow", "parquet"])("an export called .%s imports to the same export, and importing it again adds nothing", async (format) => {
    const file = join(directory, `out.${format}`);
    const ndjson = await exported("source");
    expect((await daybook(["export", "--data", directory, "--organization", "source", "--out", file])).code).toBe(0);
    const load = ["import", "--data", directory, "--organization", `via-${format}`, file];
    expect((await daybook(load)).stdout).toMatch(/accepted 3 \/ duplicates 0 \/ rejected 0/);
    expect((await daybook(load)).stdout).toMatch(/accepted 0 \/ duplicates 3 \/ rejected 0/);
    expect(await exported(`via-${format}`)).toBe(ndjson);
  });

  test("a range and a project narrow an export", async () => {
    const source = await file("range.ndjson", NDJSON);
    await daybook(["import", "--data", directory, "--organization", "range", source]);
    const namesOf = (text: string) => text.split("\n").filter(Boolean).map((line) => (JSON.parse(line) as { createdAt: string }).createdAt.slice(0, 10));
    expect(namesOf(await exported("range", "--from", "2026-03-01", "--to", "2026-03-02"))).toEqual(["2026-03-01", "2026-03-01"]);
    expect(namesOf(await exported("range", "--project", "shop"))).toEqual(["2026-03-03"]);
    const wrong = await daybook(["export", "--data", directory, "--organization", "range", "--from", "yesterday"]);
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).toMatch(/^daybook export: --from: .*yesterday.*\n$/);
  });

  test("bad rows are counted and named by line, and never stop the others", async () => {
    const path = await file("mixed.ndjson", '{"id":"1","name":"a"}\nnonsense\n{"id":"2","name":""}\n{"id":"3","name":"c","colour":"red"}\n{"id":"4","name":"d"}\n');
    const run = await daybook(["import", "--data", directory, "--organization", "mixed", path]);
    expect(run.code).toBe(0);
    const lines = run.stdout.split("\n");
    expect(lines[0]).toMatch(/accepted 2 \/ duplicates 0 \/ rejected 3/);
    expect(lines[1]).toMatch(/^ {2}line 2: expected a JSON object/);
    expect(lines[2]).toMatch(/^ {2}line 3: name: /);
    expect(lines[3]).toMatch(/^ {2}line 4: "colour": /);
    const strict = await daybook(["import", "--data", directory, "--organization", "mixed", "--strict", path]);
    expect([strict.code, strict.stderr]).toEqual([1, "daybook import: 3 rows were rejected, all others are stored\n"]);
  });

  test("a file of which nothing fits fails, saying so", async () => {
    const path = await file("hello.log", "hello\nworld\n");
    const run = await daybook(["import", "--data", directory, "--organization", "nothing", path]);
    expect(run.code).toBe(1);
    expect(run.stderr).toMatch(/^daybook import: .*hello\.log: 2 of the first 2 lines cannot be read, so nothing is stored; expected common, combined .*; line 1: .*"hello"; line 2: .*"world"\n$/);
  });

  test("only the first ten rejections are shown", async () => {
    const path = await file("many.ndjson", `{"name":"ok"}\n${"x\n".repeat(25)}`);
    const run = await daybook(["import", "--data", directory, "--organization", "many", path]);
    expect(run.stdout.match(/^ {2}line \d+: /gm)).toHaveLength(10);
    expect(run.stdout).toMatch(/^ {2}and 15 more$/m);
  });

  test("a truncated archive fails with one line; what came before the cut is kept and not doubled", async () => {
    const lines = Array.from({ length: 20_000 }, (_, at) => `{"id":"cut-${at}","name":"n","createdAt":"2026-03-01T00:00:00Z"}\n`).join("");
    const whole = gzipSync(lines);
    const path = await file("cut.ndjson.gz", whole.subarray(0, whole.length - 1000));
    const run = await daybook(["import", "--data", directory, "--organization", "cut", path]);
    expect([run.code, run.stderr]).toEqual([1, `daybook import: ${path}: unexpected end of file\n`]);
    await writeFile(path, whole);
    const again = await daybook(["import", "--data", directory, "--organization", "cut", path]);
    const [, accepted = "", duplicates = ""] = /accepted ([\d,]+) \/ duplicates ([\d,]+) \/ rejected 0/.exec(again.stdout) ?? [];
    expect(Number(accepted.replace(",", "")) + Number(duplicates.replace(",", ""))).toBe(20_000);
    expect((await exported("cut")).split("\n").filter(Boolean)).toHaveLength(20_000);
  });

  test("CSV is imported by a map, and a map that does not fit is an error before anything is stored", async () => {
    const csv = await file("shop.csv", "nr;kunde;preis\n1;17;2.50\n2;;1.00\n");
    const map = { delimiter: ";", event: { name: { constant: "purchase" }, userId: { column: "kunde" } }, metadata: { revenue: { column: "preis", as: "number" } } };
    const good = await file("good.json", JSON.stringify(map));
    const run = await daybook(["import", "--data", directory, "--organization", "mapped", "--map", good, csv]);
    expect(run.stdout).toMatch(/accepted 2 \/ duplicates 0 \/ rejected 0/);
    expect(await exported("mapped")).toContain('"revenue":2.5');
    const bad = await file("bad.json", JSON.stringify({ ...map, event: { name: { column: "titel" } } }));
    const wrong = await daybook(["import", "--data", directory, "--organization", "mapped", "--map", bad, csv]);
    expect([wrong.code, wrong.stderr]).toEqual([1, `daybook import: ${csv}: name: the file has no column "titel", it has "nr", "kunde", "preis"\n`]);
  });

  test("the project of an import is that of its events, and foreign ones are rejected", async () => {
    const path = await file("projects.ndjson", '{"name":"a"}\n{"name":"b","project":"other"}\n');
    const run = await daybook(["import", "--data", directory, "--organization", "projects", "--project", "mine", path]);
    expect(run.stdout).toMatch(/accepted 1 \/ duplicates 0 \/ rejected 1/);
    expect(await exported("projects", "--project", "mine")).toContain('"name":"a"');
  });

  test("stats counts what is stored", async () => {
    const path = await file("stats.ndjson", NDJSON);
    await daybook(["import", "--data", directory, "--organization", "counted", path]);
    const { code, stdout } = await daybook(["stats", "--data", directory, "--organization", "counted"]);
    expect(code).toBe(0);
    const [header = "", row = ""] = stdout.split("\n");
    expect(header).toMatch(/^organization +events +days +first day +last day/);
    expect(row).toMatch(/^counted +3 +\d +2026-03-01 +2026-03-03 /);
  });
});
