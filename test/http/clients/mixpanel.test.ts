import Mixpanel from "mixpanel";
import { describe, expect, it } from "vitest";
import { serving, TOKEN, WHOLE } from "./kit.js";
import type { Fault, Serving } from "./kit.js";

type Callback = (error?: unknown) => void;

function clientOf({ host }: Serving, options: object = {}, token = TOKEN) {
  return Mixpanel.init(token, { host, protocol: "http", key: "any", keepAlive: false, logger: SILENT, ...options } as never);
}

const SILENT = { trace: none, debug: none, info: none, warn: none, error: none };
function none() {
  return undefined;
}

/** What the callback of a call hears; null: no error. */
function heard(call: (callback: Callback) => void): Promise<unknown> {
  return new Promise((resolve) => call((error) => resolve(error ?? null)));
}

describe("mixpanel", () => {
  it("sends events, one by one and in lists, people, aliases, companies and charges", async () => {
    const there = await serving();
    const client = clientOf(there);
    const list = [{ event: "Listed", properties: { distinct_id: "ann", $insert_id: "i1" } }, { event: "Listed", properties: { distinct_id: "ann", $insert_id: "i2" } }];
    const errors = await Promise.all([
      heard((done) => client.track("Signup", { distinct_id: "ann", plan: "pro", company: "acme", $os: "Linux", ip: "192.0.2.9" }, done)),
      heard((done) => client.track("Seen", { distinct_id: "$device:d1" }, done)),
      heard((done) => client.track("Both", { $user_id: "ann", $device_id: "d1", time: new Date("2026-01-02T03:04:05Z") }, done)),
      heard((done) => client.import("Old", 1_600_000_000, { distinct_id: "ann" }, done)),
      heard((done) => client.track_batch(list, done as never)),
      heard((done) => client.import_batch([{ event: "Older", properties: { distinct_id: "ann", time: 1_500_000_000 } }], done as never)),
      heard((done) => client.people.set("ann", { $email: "ann@example.org", city: "Paris" }, done)),
      heard((done) => client.people.set_once("ann", "source", "news", done)),
      heard((done) => client.people.track_charge("ann", 29.99, { $time: new Date("2026-02-01T00:00:00Z"), sku: "s1" } as never, done as never)),
      heard((done) => client.people.increment("ann", "logins", 1, done)),
      heard((done) => clientOf(there, {}, WHOLE).alias("ann", "ann-2", done)),
      heard((done) => client.groups.set("company", "acme", { $name: "Acme" }, done)),
    ]);
    expect(errors).toEqual(errors.map(() => null));
    const events = await there.events();
    const named = (name: string) => events.find((event) => event.name === name);
    expect(events.map(({ name }) => name).sort()).toEqual(["Both", "Listed", "Listed", "Old", "Older", "Payment", "Seen", "Signup"]);
    expect(named("Signup")).toMatchObject({ userId: "ann", companyId: "acme", os: "Linux", project: "shop", metadata: { plan: "pro", mp_lib: "node" } });
    expect(named("Seen")).toMatchObject({ anonymousId: "d1" });
    expect(named("Both")).toMatchObject({ userId: "ann", anonymousId: "d1", createdAt: "2026-01-02T03:04:05.000Z" });
    expect(named("Old")?.createdAt).toBe("2020-09-13T12:26:40.000Z");
    expect(named("Payment")).toMatchObject({ userId: "ann", value: 29.99, createdAt: "2026-02-01T00:00:00.000Z", metadata: { sku: "s1" } });
    expect(JSON.stringify(events)).not.toMatch(/sk_clients_0123456789abcdefgh|192\.0\.2\.9/);
    expect((await there.daybook.identityProfile({ userId: "ann-2", startDate: "2000-01-01" })).events).toBe(8);
    expect((await there.daybook.identityProfile({ email: "ann@example.org", startDate: "2000-01-01" })).revenue).toBe(29.99);
    expect((await there.daybook.topCompanies({})).companies).toMatchObject([{ companyId: "acme", name: "Acme" }]);
    expect(await there.daybook.countEvents({ filterGroups: [{ filters: [{ fieldName: "person.source", operator: "=", value: "news" }] }] })).toBe(8);
  });

  it.each<Fault>(["500", "503", "429", "500 after", "lost"])("tells of %s, and what is then sent again counts once by its $insert_id", async (fault) => {
    const there = await serving();
    const client = clientOf(there);
    const calls = [
      (done: Callback) => client.track("a", { distinct_id: "u1", $insert_id: "1" }, done),
      (done: Callback) => client.track("b", { distinct_id: "u1", $insert_id: "2", time: 1_600_000_000 }, done),
      (done: Callback) => client.track_batch([3, 4, 5].map((id) => ({ event: "c", properties: { distinct_id: "u1", $insert_id: String(id) } })), done as never),
    ];
    for (const call of calls) {
      there.faults.push(fault);
      expect(await heard(call)).not.toBeNull();
      expect(await heard(call)).toBeNull();
    }
    expect((await there.events()).map(({ name }) => name).sort()).toEqual(["a", "b", "c", "c", "c"]);
  });

  it("never sends again by itself: equal calls are several, of the same second, of one list, and charges too", async () => {
    const there = await serving();
    const client = clientOf(there);
    const time = 1_600_000_000;
    const list = Array.from({ length: 3 }, () => ({ event: "c", properties: { distinct_id: "u1" } }));
    for (let nth = 0; nth < 3; nth += 1) {
      expect(await heard((done) => client.track("a", { distinct_id: "u1" }, done))).toBeNull();
      expect(await heard((done) => client.track("b", { distinct_id: "u1", time }, done))).toBeNull();
      expect(await heard((done) => client.people.track_charge("u1", 5, {}, done as never))).toBeNull();
    }
    expect(await heard((done) => client.track_batch(list, done as never))).toBeNull();
    const names = (await there.events()).map(({ name }) => name).sort();
    expect(names).toEqual(["Payment", "a", "b", "c"].flatMap((name) => [name, name, name]));
  });

  it("hears in words what is wrong, with verbose answers too", async () => {
    const there = await serving();
    const bad = (verbose: boolean) => heard((done) => clientOf(there, { verbose }).track("x".repeat(201), { distinct_id: "u1" }, done));
    expect(String(await bad(false))).toContain('"reason":"invalid_event"');
    expect(String(await bad(true))).toContain("name: expected");
    expect(await heard((done) => clientOf(there, { verbose: true }).track("good", {}, done))).toBeNull();
  });
});
