import { describe, expect, test } from "vitest";
import { Dictionaries } from "../../src/storage/column/dictionaries.js";
import { RECORD_FIELDS, RECORD_FIELD_COUNT, RECORD_KINDS, RecordTable, type RecordField } from "../../src/identity/record-table.js";
import { IdentityResolver } from "../../src/identity/resolver.js";

/** A resolver whose ids are given as texts. */
function people() {
  const dictionaries = new Dictionaries();
  const table = new RecordTable();
  const resolver = new IdentityResolver(table, dictionaries);
  const user = (id: string) => dictionaries.named("userId").intern(id);
  const anonymous = (id: string) => dictionaries.named("anonymousId").intern(id);
  let recordCount = 0;
  function record(kind: keyof typeof RECORD_KINDS, ms: number, texts: Partial<Record<RecordField, string>>): number {
    const codes = new Uint32Array(RECORD_FIELD_COUNT);
    RECORD_FIELDS.forEach((field, at) => {
      const name = field === "fromUserId" ? "userId" : field;
      codes[at] = dictionaries.named(name).intern(texts[field] ?? "");
    });
    recordCount += 1;
    const row = table.append(RECORD_KINDS[kind], ms, Uint8Array.of(...new Array<number>(15).fill(0), recordCount), 0, recordCount, codes, 0);
    resolver.addRecord(row);
    return row;
  }
  return {
    dictionaries,
    resolver,
    user: (id: string) => user(id) * 2,
    device: (id: string) => anonymous(id) * 2 + 1,
    event: (userId: string, anonymousId: string, ms: number) =>
      resolver.link({ userId: user(userId), anonymousId: anonymous(anonymousId), createdAtMs: ms }),
    alias: (from: string, to: string, ms: number) => record("alias", ms, { fromUserId: from, anonymousId: from, userId: to }),
    identify: (ms: number, texts: Partial<Record<RecordField, string>>) => record("identify", ms, texts),
    unlink: (row: number) => {
      table.append(RECORD_KINDS.unlink, 0, table.ids, row * 16, 0, new Uint32Array(RECORD_FIELD_COUNT), 0);
      resolver.addRecord(table.rowCount - 1);
    },
  };
}

describe("anonymous ids", () => {
  test("The earliest link wins, at one millisecond the smallest user id, in whatever order links come.", () => {
    const links = [["carol", 20], ["bob", 10], ["alice", 30], ["carol", 10], ["bob", 5], ["carol", 5]] as const;
    for (const order of [links, [...links].reverse(), [...links].sort((a, b) => a[1] - b[1]), [...links, ...links]]) {
      const { event, resolver, user, device } = people();
      for (const [userId, ms] of order) event(userId, "device", ms);
      const view = resolver.view();
      expect(view.identityOf(device("device"))).toBe(user("bob"));
      expect(view.actorsOf(user("bob"))).toEqual([user("bob"), device("device")]);
      expect(view.actorsOf(user("alice"))).toEqual([user("alice")]);
    }
  });

  test("A view keeps what it saw when a later link gives the anonymous id to an earlier user.", () => {
    const { event, resolver, user, device } = people();
    event("late", "device", 20);
    const before = resolver.view();
    event("early", "device", 10);
    expect([before, resolver.view()].map((view) => view.identityOf(device("device")))).toEqual([user("late"), user("early")]);
  });

  test("A link costs the same when an anonymous id, such as a broken client's \"undefined\", is shared by all users.", () => {
    const { event, dictionaries } = people();
    let readCount = 0;
    const userIds = dictionaries.named("userId");
    const valueOf = userIds.valueOf.bind(userIds);
    userIds.valueOf = (code) => {
      readCount += 1;
      return valueOf(code);
    };
    const userCount = 2_000;
    for (let number = 1; number <= userCount; number += 1) event(`user ${number}`, "undefined", 5);
    expect(readCount).toBeLessThan(4 * userCount);
  });
});

describe("aliases", () => {
  test("A chain ends at its last user; a link that would close a circle has no effect.", () => {
    const { alias, resolver, user, device } = people();
    alias("a", "b", 1);
    alias("b", "c", 2);
    alias("c", "a", 3);
    const view = resolver.view();
    expect(["a", "b", "c"].map((id) => view.identityOf(user(id)))).toEqual([user("c"), user("c"), user("c")]);
    expect(new Set(view.actorsOf(user("c")))).toEqual(new Set(["a", "b", "c"].flatMap((id) => [user(id), device(id)])));
  });

  test("Of two aliases from one id the earlier counts, until it is taken back.", () => {
    const { alias, unlink, resolver, user } = people();
    alias("a", "late", 2);
    const early = alias("a", "early", 1);
    const before = resolver.view();
    expect(before.identityOf(user("a"))).toBe(user("early"));
    unlink(early);
    expect(resolver.view().identityOf(user("a"))).toBe(user("late"));
    expect(before.identityOf(user("a"))).toBe(user("early"));
  });

  test("An alias from an anonymous id gives it to the user.", () => {
    const { alias, resolver, user, device } = people();
    alias("device", "user", 1);
    expect(resolver.view().identityOf(device("device"))).toBe(user("user"));
    expect(resolver.view().findId("device")).toBe(user("user"));
  });
});

describe("emails", () => {
  test("An email finds whom it was last told of; ids that only records named are unknown once these are taken back.", () => {
    const { identify, unlink, resolver, user } = people();
    resolver.users.addRecordOnly(user("first") / 2);
    const first = identify(1, { userId: "first", email: "a@b.c" });
    const second = identify(2, { userId: "second", email: "a@b.c" });
    expect(resolver.view().findEmail("a@b.c")).toBe(user("second"));
    expect(resolver.view().resolvedIdentifier(user("first"))).toBe("first");
    unlink(second);
    expect(resolver.view().resolvedIdentifier(user("first"))).toBe("a@b.c");
    unlink(first);
    expect([resolver.view().findEmail("a@b.c"), resolver.view().findId("first")]).toEqual([0, 0]);
  });

  test("A user id that looks like an email answers for it, unless somebody was identified with it.", () => {
    const { identify, resolver, user } = people();
    identify(1, { userId: "Ann@Example.org" });
    expect(resolver.view().findEmail("ann@example.org")).toBe(user("Ann@Example.org"));
    identify(2, { userId: "other", email: "ann@example.org" });
    expect(resolver.view().findEmail("ann@example.org")).toBe(user("other"));
  });
});
