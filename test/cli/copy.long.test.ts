import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { openDaybook, type Daybook } from "daybook";
import { fileStorage } from "daybook/node";
import { describe, expect, test } from "vitest";
import { daybook, emptyDirectory } from "./run.js";

const createdAt = "2026-03-30T12:00:00.000Z";

/** A directory with an organization `shop` of events, records of every type and a project without events. */
async function shop(): Promise<string> {
  const directory = await emptyDirectory();
  const store = await openDaybook({ storage: fileStorage(join(directory, "shop")) });
  await store.createProject("empty");
  await store.ingest([
    { id: "1", name: "visit", anonymousId: "phone", createdAt },
    { id: "2", name: "visit", userId: "ann", createdAt, project: "web" },
    { id: "3", name: "visit", userId: "old ann", createdAt },
    { id: "4", name: "visit", createdAt },
  ]);
  await store.identify({ id: "a", userId: "ann", anonymousId: "phone", email: "ann@x.io", traits: { bio: "é\n\u2028".repeat(4_000) }, createdAt });
  await store.group({ id: "b", userId: "ann", companyId: "acme", traits: { name: "Acme" }, createdAt });
  await store.alias({ id: "c", from: "old ann", to: "ann", createdAt });
  const { linkId } = await store.identify({ id: "d", userId: "bob", anonymousId: "tv", createdAt });
  await store.unlink(linkId);
  await store.close();
  return directory;
}

async function asked<Answer>(directory: string, organization: string, ask: (store: Daybook) => Promise<Answer>): Promise<Answer> {
  const store = await openDaybook({ storage: fileStorage(join(directory, organization)), readOnly: true });
  try {
    return await ask(store);
  } finally {
    await store.close();
  }
}

const answers = async (store: Daybook) => [
  await store.countUniqueUsers(),
  await store.identityProfile({ email: "ann@x.io" }),
  await store.countEvents({ userId: "old ann" }),
  await store.topCompanies({ rangeDays: 365 }),
  store.projects(),
];

describe("a copy", () => {
  test("goes out as NDJSON and comes in again, gzipped: every answer and the next export are the original's.", async () => {
    const directory = await shop();
    const out = join(directory, "copy.ndjson.gz");
    const exporting = await daybook(["export", "--data", directory, "--organization", "shop", "--out", out]);
    expect([exporting.code, exporting.stderr]).toEqual([0, ""]);
    expect(exporting.stdout).toMatch(/copy\.ndjson\.gz: 4 events and 6 records \(/);
    const importing = await daybook(["import", "--data", directory, "--organization", "copy", "--strict", out]);
    expect([importing.code, importing.stderr]).toEqual([0, ""]);
    expect(importing.stdout).toMatch(/copy\.ndjson\.gz: accepted 10 \/ duplicates 0 \/ rejected 0; 6 records among these rows \(/);
    const again = await daybook(["import", "--data", directory, "--organization", "copy", out]);
    expect(again.stdout).toMatch(/accepted 0 \/ duplicates 10 \/ rejected 0; 6 records among these rows/);
    expect(await asked(directory, "copy", answers)).toEqual(await asked(directory, "shop", answers));
    const exported = await daybook(["export", "--data", directory, "--organization", "copy"]);
    expect(exported.stdout).toBe(gunzipSync(await readFile(out)).toString());
    const types = exported.stdout.trim().split("\n").map((line) => (JSON.parse(line) as { type?: string }).type ?? "event");
    expect([types[0], ...types.slice(6)]).toEqual(["project", "event", "event", "event", "event"]);
    expect(types.slice(1, 6).sort()).toEqual(["alias", "group", "identify", "identify", "unlink"]);
  });

  test("has its records whatever project and dates narrow its events to, and none with --events-only.", async () => {
    const directory = await shop();
    const linesOf = async (...options: string[]) => (await daybook(["export", "--data", directory, "--organization", "shop", ...options])).stdout.trim().split("\n");
    const isRecord = (line: string) => Object.hasOwn(JSON.parse(line) as object, "type");
    const [narrowed, events] = await Promise.all([linesOf("--from", "2026-03-30", "--to", "2026-03-30T12:00:00Z", "--project", "web"), linesOf("--events-only")]);
    expect([narrowed.length, narrowed.filter(isRecord).length]).toEqual([7, 6]);
    expect([events.length, events.filter(isRecord).length]).toEqual([4, 0]);
  });

  test.each(["csv", "arrow", "parquet"])("is not what %s holds, and one line says so where there are records.", async (format) => {
    const directory = await shop();
    const exporting = ["export", "--data", directory, "--organization", "shop", "--format", format];
    const [run, knowing] = await Promise.all([daybook(exporting), daybook([...exporting, "--events-only"])]);
    expect([run.code, run.stderr]).toEqual([0, `daybook export: ${format} contains events only; 5 identity records are left out: use ndjson for a full copy\n`]);
    expect([knowing.code, knowing.stderr]).toEqual([0, ""]);
  });

  test("carries identity ids where asked, and comes in again without them.", async () => {
    const directory = await shop();
    const { identityId } = await asked(directory, "shop", (store) => store.identityProfile({ userId: "ann" }));
    const { stdout } = await daybook(["export", "--data", directory, "--organization", "shop", "--identity-ids"]);
    expect(stdout.split(identityId)).toHaveLength(4);
    const importing = await daybook(["import", "--data", directory, "--organization", "copy", "--format", "ndjson", "--strict", "-"], { input: stdout });
    expect([importing.code, importing.stderr]).toEqual([0, ""]);
    expect(await asked(directory, "copy", answers)).toEqual(await asked(directory, "shop", answers));
  });
});
