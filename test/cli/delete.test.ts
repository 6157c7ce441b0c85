import { fileStorage } from "daybook/node";
import { fixedClock, openDaybook, type EventInput } from "daybook";
import { createHandler, memoryTokens } from "daybook/http";
import { describe, expect, test } from "vitest";
import { daybookHere } from "./run-here.js";
import { emptyDirectory } from "./run.js";

const DAY = 86_400_000;
const today = Math.floor(Date.now() / DAY) * DAY;
const dayText = (back: number) => new Date(today - back * DAY).toISOString().slice(0, 10);
const visit = (back: number, project: string): EventInput => ({ name: "visit", createdAt: today - back * DAY, project });

/** A store with events of twelve days, and of a shop of twenty: midnight may come meanwhile. */
async function stored(): Promise<string> {
  const directory = await emptyDirectory();
  await using daybook = await openDaybook({ storage: fileStorage(directory) });
  await daybook.ingest([visit(0, "default"), visit(8, "default"), visit(12, "default"), visit(0, "shop"), visit(20, "shop")]);
  return directory;
}

async function left(directory: string): Promise<unknown> {
  await using daybook = await openDaybook({ storage: fileStorage(directory), readOnly: true });
  return [await daybook.countEvents({ project: "default" }), await daybook.countEvents({ project: "shop" }), daybook.projects().length];
}

describe("daybook delete", () => {
  test("says what would go, and deletes nothing with --dry-run, nor where nobody can be asked", async () => {
    const directory = await stored();
    const dry = await daybookHere(["delete", "--data", directory, "--before", dayText(10), "--dry-run"]);
    expect([dry.code, dry.stderr]).toEqual([0, ""]);
    expect(dry.stdout).toMatch(new RegExp(`^project +events to delete +days +kept from\\ndefault +1 +1 +${dayText(10)}\\nshop +1 +1 +${dayText(10)}\\n$`));
    const unsure = await daybookHere(["delete", "--data", directory, "--before", dayText(10)]);
    expect([unsure.code, unsure.stderr]).toEqual([2, "daybook delete: --yes is required: there is no terminal to confirm on (see daybook delete --help)\n"]);
    expect(await left(directory)).toEqual([3, 2, 2]);
  });

  test("deletes old events of all projects, of one, or a project with all it has", async () => {
    const directory = await stored();
    const old = await daybookHere(["delete", "--data", directory, "--before", dayText(10), "--project", "default", "--yes"]);
    expect([old.code, old.stdout.split("\n").at(-2)]).toEqual([0, "deleted 1 event: 1 file removed, 0 rewritten, 0 texts removed"]);
    expect(await left(directory)).toEqual([2, 2, 2]);
    expect((await daybookHere(["delete", "--data", directory, "--project", "shop", "--yes"])).stdout).toContain("deleted 2 events");
    expect(await left(directory)).toEqual([2, 0, 1]);
    expect((await daybookHere(["delete", "--data", directory, "--before", dayText(0), "--yes"])).stdout).toContain("deleted 1 event:");
    expect(await left(directory)).toEqual([1, 0, 1]);
    const none = await daybookHere(["delete", "--data", directory, "--project", "shop", "--yes"]);
    expect([none.code, none.stderr]).toEqual([1, 'daybook delete: there is no project "shop"\n']);
  });
});

describe("daybook delete --key", () => {
  const browser = { origin: "https://shop.example", "user-agent": "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:130.0) Gecko/20100101 Firefox/130.0" };

  test("takes away what pages brought by a public key, with its values and ties, and nothing of others", async () => {
    const directory = await emptyDirectory();
    const daybook = await openDaybook({ storage: fileStorage(directory) });
    await daybook.ingest([{ name: "view", project: "shop", url: "/of-server", userId: "ann", id: "e1" }]);
    const rules = { project: "shop", public: { origins: ["*"], ids: ["anonymous", "user"] } } as const;
    const handler = createHandler({ organizations: { default: daybook }, tokens: memoryTokens([{ token: "pk_good", ...rules }, { token: "pk_bad", ...rules }]) });
    const send = async (key: string, events: readonly object[]) =>
      (await handler(new Request("http://daybook.test/v1/collect", { method: "POST", headers: { ...browser, "content-type": "text/plain" }, body: JSON.stringify({ key, events }) }))).status;
    const flood = [...Array.from({ length: 50 }, (_, at) => ({ name: "view", url: `https://shop.example/flood${at}`, metadata: { [`k${at % 7}`]: at } })), { name: "$identify", userId: "ann", anonymousId: "stranger" }];
    const held = async () => (await daybook.stats()).distinctValues;
    expect(await send("pk_good", [{ name: "view", url: "https://shop.example/good", id: "e1" }])).toBe(204);
    const before = await held();
    expect([await send("pk_bad", flood), (await held())?.metadataKeyCount]).toEqual([204, 7]);
    await daybook.close();
    const dry = await daybookHere(["delete", "--data", directory, "--key", "pk_bad", "--dry-run"]);
    expect([dry.code, dry.stdout]).toMatchObject([0, expect.stringMatching(/\nshop +50 +1 +-\n$/)]);
    const done = await daybookHere(["delete", "--data", directory, "--key", "pk_bad", "--yes"]);
    expect([done.code, done.stderr, done.stdout.split("\n").at(-2)]).toMatchObject([0, "", expect.stringMatching(/^deleted 50 events: 0 files removed, 1 rewritten, 1\d\d texts removed$/)]);
    await using again = await openDaybook({ storage: fileStorage(directory) });
    expect((await again.aggregate({ field: "url" })).map(({ property }) => property).sort()).toEqual(["/good", "/of-server"]);
    for await (const record of again.exportRecords()) expect(record).toBeUndefined();
    expect((await again.stats()).distinctValues).toEqual(before);
    expect((await daybookHere(["verify", "--data", directory])).code).toBe(0);
  });

  test.each([
    [["--key", "sk_secret"], "--key: expected a public key, which starts with pk_"],
    [["--key", "pk_a", "--project", "shop"], "--key cannot be combined with --project or --before"],
    [["--key", "pk_a", "--clickhouse", "http://127.0.0.1:1", "--database", "d"], "--key cannot be combined with --clickhouse: delete events there with --project or --before"],
  ])("refuses %j", async (args, message) => {
    const refused = await daybookHere(["delete", "--data", "nowhere", ...args]);
    expect([refused.code, refused.stderr]).toEqual([2, `daybook delete: ${message} (see daybook delete --help)\n`]);
  });
});

describe("daybook retention", () => {
  test("sweep confirms a clock that is far ahead of when it was last seen, once it is told what goes", async () => {
    const directory = await emptyDirectory();
    const daybook = await openDaybook({ storage: fileStorage(directory), clock: fixedClock(Date.UTC(2026, 2, 31)) });
    await daybook.ingest([{ name: "a" }]);
    await daybook.timeToLive.set(null, { days: 7 });
    await daybook.close();
    const unsure = await daybookHere(["retention", "sweep", "--data", directory]);
    expect([unsure.code, unsure.stderr]).toEqual([2, "daybook retention: --yes is required: there is no terminal to confirm on (see daybook retention --help)\n"]);
    const swept = await daybookHere(["retention", "sweep", "--data", directory, "--yes"]);
    expect(swept.stdout).toMatch(/^project +events to delete[^]*\ndeleted 1 event: /);
    const again = await openDaybook({ storage: fileStorage(directory) });
    expect([again.timeToLive.waiting, await again.countEvents()]).toEqual([null, 0]);
    await again.close();
    const wrong = await daybookHere(["retention", "sweep", "shop", "--data", directory]);
    expect([wrong.code, wrong.stderr]).toEqual([2, "daybook retention: sweep applies to all projects: expected neither PROJECT nor --all (see daybook retention --help)\n"]);
  });

  test("shows rules and what is past its time, sets rules once somebody is sure, and takes them back", async () => {
    const directory = await stored();
    expect((await daybookHere(["retention", "--data", directory])).stdout).toBe("all events are kept\n");
    const unsure = await daybookHere(["retention", "set", "--all", "--days", "10", "--data", directory]);
    expect([unsure.code, unsure.stderr]).toEqual([2, "daybook retention: --yes is required: there is no terminal to confirm on (see daybook retention --help)\n"]);
    expect(unsure.stdout).toMatch(/^default +1 +1 +\S+\nshop +1 +1 +\S+\n$/m);
    // Where nothing is to go, nobody is asked.
    const own = await daybookHere(["retention", "set", "shop", "--days", "30", "--data", directory]);
    expect([own.code, own.stdout]).toEqual([0, "no events to delete\ndeleted 0 events: 0 files removed, 0 rewritten, 0 texts removed\n"]);
    const sure = await daybookHere(["retention", "set", "--all", "--days", "10", "--data", directory, "--yes"]);
    expect([sure.code, sure.stdout.split("\n").at(-2)]).toEqual([0, "deleted 1 event: 1 file removed, 0 rewritten, 0 texts removed"]);
    expect(await left(directory)).toEqual([2, 2, 2]);
    const shown = await daybookHere(["retention", "--data", directory]);
    expect(shown.stdout).toMatch(/^project +days kept\n\(all others\) +10\nshop +30\n\nno events to delete\n$/);
    expect((await daybookHere(["retention", "off", "shop", "--data", directory])).code).toBe(0);
    const next = await daybookHere(["retention", "--data", directory]);
    expect(next.stdout).toMatch(/shop +1 +1 /);
    const none = await daybookHere(["retention", "off", "shop", "--data", directory]);
    expect([none.code, none.stderr]).toEqual([1, 'daybook retention: there is no rule for "shop"\n']);
  });
});
