import { once } from "node:events";
import { readFileSync } from "node:fs";
import { migrateClickHouse, openClickHouse, type ClickHouseDaybook, type ClickHouseOptions } from "daybook/clickhouse";
import { expect, test } from "vitest";
import { verifyClickHouse } from "../../src/clickhouse/open-clickhouse.js";
import { emptyDirectory } from "../cli/run.js";
import { startServer } from "./kit.js";
import { CLUSTER } from "./server/clusters.js";

const documented = readFileSync(new URL("../../docs/guide/clickhouse.md", import.meta.url), "utf8");

/** What the documents give a user. The stand-in for a cluster runs a statement that is for all servers as if it were for one. */
function grantsOf(user: string, isCluster: boolean): string[] {
  const given = [...documented.matchAll(/^(GRANT .*) TO (.*);$/gm)].map(([, grant = "", users = ""]) => ({ grant, users: users.split(", ") }));
  const grantsTo = (name: string) => given.filter(({ users }) => users.includes(name)).map(({ grant }) => grant);
  const grants = [...grantsTo(user), ...(isCluster ? grantsTo("each_of_them").filter((grant) => !grant.includes("CLUSTER")) : [])];
  expect(grants.length).toBeGreaterThan(0);
  return grants;
}

/** Does something on a server whose one user has these rights. */
async function as(grants: readonly string[], directory: string, act: (url: string) => Promise<void>): Promise<void> {
  const { child, port } = await startServer(directory, 0, { grants });
  await act(`http://127.0.0.1:${port}`);
  child.kill("SIGTERM");
  if (child.exitCode === null) await once(child, "exit");
}

const event = { name: "seen", userId: "ann", anonymousId: "dev", createdAt: Date.UTC(2020, 0, 1), metadata: { plan: "pro" } };

async function write(daybook: ClickHouseDaybook): Promise<void> {
  await daybook.ingest([event, { ...event, userId: "bob", project: "old" }, { ...event, userId: "carl", anonymousId: "pad" }]);
  const { linkId } = await daybook.identify({ userId: "ann", email: "ann@example.org" });
  await daybook.unlink(linkId);
  await daybook.segments.put("seen", { groups: [{ conditions: [{ type: "did", eventName: "seen" }] }] });
}

async function remove(daybook: ClickHouseDaybook): Promise<void> {
  expect(await daybook.deleteProject("old")).toMatchObject({ events: 1 });
  const { id } = await daybook.privacyRequests.create({ type: "erasure", subject: { userId: "ann" } });
  await daybook.privacyRequests.verify(id);
  await daybook.privacyRequests.acknowledge(id);
  expect(await daybook.privacyRequests.resolve(id, "completed")).toMatchObject({ status: "resolved" });
  await daybook.timeToLive.set("default", { days: 36_525 });
  await daybook.timeToLive.sweep();
}

test.each([["one server", undefined], ["two shards", CLUSTER]] as const)("the rights that are documented are enough, %s", async (_, cluster) => {
  const directory = await emptyDirectory();
  const options = (url: string): ClickHouseOptions => ({ url, database: "shop", ...(cluster === undefined ? {} : { cluster }) });
  const of = (user: string) => grantsOf(user, cluster !== undefined);
  await as(of("migrator"), directory, async (url) => {
    await migrateClickHouse(options(url));
    expect(await migrateClickHouse(options(url))).toMatchObject({ statements: [] });
  });
  await as(of("writer"), directory, async (url) => {
    await using daybook = await openClickHouse(options(url));
    await write(daybook);
    expect(await daybook.countEvents({ project: "old" })).toBe(1);
    expect(await daybook.stats()).toMatchObject({ eventCount: 3 });
    await daybook.rotateSigningKey();
    await remove(daybook);
    expect(await verifyClickHouse(options(url))).toMatchObject({ findings: [], held: { eventCount: 1 } });
  });
  await as(of("reader"), directory, async (url) => {
    await using daybook = await openClickHouse(options(url));
    expect(await daybook.countUniqueUsers()).toBe(1);
    expect(await daybook.sessionsOverview()).toMatchObject({ total: { sessions: 1 } });
    expect(await daybook.searchEvents({ allFields: true })).toMatchObject({ events: [{ userId: "carl" }] });
    await expect(daybook.ingest([{ ...event, userId: "dora", anonymousId: "tab" }])).rejects.toMatchObject({ code: "read_only" });
    await expect(daybook.deleteProject("default")).rejects.toMatchObject({ code: "read_only" });
    expect(await daybook.countEvents()).toBe(1);
    const token = await daybook.signScope({ projects: ["default"] }, { expiresIn: "1h" });
    expect(await daybook.scoped((await daybook.verifyScopeToken(token)).scope).countUniqueUsers()).toBe(1);
    await expect(daybook.rotateSigningKey()).rejects.toMatchObject({ code: "read_only" });
  });
}, 300_000);
