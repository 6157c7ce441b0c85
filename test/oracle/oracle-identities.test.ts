import { createHash } from "node:crypto";
import type { IdentifyInput, IdentityInput } from "daybook";
import { oracle, type History, type HistoryItem } from "../support/index.js";
import { describe, expect, test } from "vitest";

const nowMs = Date.parse("2026-03-10T00:00:00Z");
const dayMs = Date.parse("2026-03-01T00:00:00Z");
let serial = 0;
const id = () => `00000000-0000-4000-8000-${String((serial += 1)).padStart(12, "0")}`;
const seen = (minute: number, who: { userId?: string; anonymousId?: string }, rest: object = {}): HistoryItem => ({
  id: id(), name: "e", createdAt: dayMs + minute * 60_000, ...who, ...rest,
});
const identify = (minute: number, input: object): HistoryItem => ({ identify: { id: id(), createdAt: dayMs + minute * 60_000, ...input } as IdentifyInput });
const alias = (minute: number, from: string, to: string): HistoryItem => ({ alias: { id: id(), createdAt: dayMs + minute * 60_000, from, to } });
const named = (kind: "user" | "anonymous", value: string) => `idn_${createHash("sha256").update(`${kind}\0${value}`).digest("hex").slice(0, 32)}`;
const ask = (history: History) => oracle(history, { nowMs });
const byEmail = (history: History, email: string) => ask(history).identityProfile({ email }).identityId;
const byId = (history: History, userId: string) => ask(history).identityProfile({ userId }).identityId;
const refusal = (code: string) => expect.objectContaining({ code }) as Error;

describe("who is who", () => {
  test("An identify with both ids moves earlier anonymous events to the user, and the earliest link wins over a later one.", () => {
    const history = [seen(0, { anonymousId: "d" }), seen(9, { anonymousId: "d", userId: "aaa" }), identify(5, { anonymousId: "d", userId: "ann" })];
    expect(ask(history).countEvents({ userId: "ann" })).toBe(1);
    expect(ask(history).countEvents({ userId: "d" })).toBe(1);
    expect(ask(history).countEvents({ userId: "aaa" })).toBe(1);
    expect(ask(history).countUniqueUsers()).toBe(2);
  });

  test("Of links at one millisecond the smallest user id by code point has the device, before merges.", () => {
    const history = [
      identify(1, { anonymousId: "d", userId: "\u{1F600}" }), identify(1, { anonymousId: "d", userId: "\uFF5E" }), seen(2, { anonymousId: "d" }), alias(3, "\uFF5E", "zoe"),
    ];
    expect(ask(history).countEvents({ userId: "zoe" })).toBe(1);
    expect(ask(history).countEvents({ userId: "\u{1F600}" })).toBe(0);
  });

  test("Alias chains are followed, a second parent and a closing of the circle have no effect.", () => {
    const history = [
      seen(0, { userId: "a" }), seen(0, { userId: "b" }), seen(0, { userId: "c" }),
      alias(1, "a", "b"), alias(2, "b", "c"), alias(3, "c", "a"), alias(4, "a", "elsewhere"),
    ];
    for (const user of ["a", "b", "c"]) expect(byId(history, user)).toBe(named("user", "c"));
    expect(byId(history, "elsewhere")).toBe(named("user", "elsewhere"));
  });

  test("Which alias comes first is a matter of its time, not of its arrival.", () => {
    expect(byId([alias(2, "b", "a"), alias(1, "a", "b")], "a")).toBe(named("user", "b"));
    expect(byId([alias(1, "b", "a"), alias(2, "a", "b")], "b")).toBe(named("user", "a"));
  });

  test("An alias from an anonymous id links it from its time on, against other links, even where it merges nobody.", () => {
    const history = [seen(0, { anonymousId: "d" }), alias(1, "d", "ann"), alias(2, "d", "bob"), seen(3, { anonymousId: "d", userId: "carl" })];
    expect(byId(history, "d")).toBe(named("user", "ann"));
    expect(ask(history).countEvents({ userId: "ann" })).toBe(1);
    // The circle is not closed, yet the device of the name `c` belongs to `a`, whose root is `c`.
    expect(byId([alias(1, "a", "c"), alias(2, "c", "a"), seen(3, { anonymousId: "c" })], "a")).toBe(named("user", "c"));
  });

  test("A user id and an anonymous id of one text are two; the user id is found first.", () => {
    const history = [seen(0, { userId: "x" }), seen(1, { anonymousId: "x" }), seen(2, { anonymousId: "x" })];
    expect(ask(history).countUniqueUsers()).toBe(2);
    expect(byId(history, "x")).toBe(named("user", "x"));
    expect(byId(history.slice(1), "x")).toBe(named("anonymous", "x"));
  });

  test("Records make ids known, an alias to itself does not, and what is taken back makes nothing known.", () => {
    const grouped: HistoryItem = { group: { id: id(), companyId: "c", userId: "u", anonymousId: "d" } };
    expect(byId([grouped], "d")).toBe(named("anonymous", "d"));
    expect(byId([alias(0, "from", "to")], "from")).toBe(named("user", "to"));
    expect(() => byId([alias(0, "x", "x")], "x")).toThrow(refusal("identity_not_found"));
    const told = identify(0, { userId: "u" });
    const linkId = "identify" in told ? String(told.identify.id) : "";
    expect(() => byId([told, { unlink: linkId }, told], "u")).toThrow(refusal("identity_not_found"));
    expect(byId([{ unlink: linkId }, told], "u")).toBe(named("user", "u"));
  });

  test("Taking an alias back restores the former state, and lets a later parent take its place.", () => {
    const first = alias(1, "a", "b");
    const unlink = { unlink: "alias" in first ? String(first.alias.id) : "" };
    expect(byId([first, alias(2, "a", "c"), unlink], "a")).toBe(named("user", "c"));
    expect(byId([first, seen(0, { userId: "a" }), unlink], "a")).toBe(named("user", "a"));
  });

  test("Of one record id the first to arrive is kept.", () => {
    const twice = { id: "same", createdAt: dayMs };
    const history: History = [{ identify: { ...twice, userId: "ann", email: "a@x.io" } }, { identify: { ...twice, userId: "bob", email: "b@x.io" } }];
    expect(byEmail(history, "a@x.io")).toBe(named("user", "ann"));
    expect(() => byEmail(history, "b@x.io")).toThrow(refusal("identity_not_found"));
  });

  test("Records without ids, without company or with a broken time are left out.", () => {
    const broken = [
      { identify: { email: "a@x.io" } }, { group: { companyId: "acme" } }, { group: { companyId: "", userId: "a" } },
      { alias: { from: "a", to: "" } }, { identify: { userId: "a", createdAt: "2026-03-01" } },
    ] as History;
    expect(() => byId(broken, "a")).toThrow(refusal("identity_not_found"));
  });
});

describe("emails", () => {
  test("An email finds whoever was identified with it last; trimmed and lower-cased, from traits where there is no other.", () => {
    const history = [identify(1, { userId: "old", email: "A@x.io" }), identify(2, { userId: "new", email: "", traits: { email: " a@X.io " } })];
    expect(byEmail(history, "\ta@x.io")).toBe(named("user", "new"));
  });

  test("At one millisecond the smallest user id is found, and an anonymous id only where no user has the email.", () => {
    const at = (who: object) => identify(1, { ...who, email: "a@x.io" });
    expect(byEmail([at({ anonymousId: "d" }), at({ userId: "\u{1F600}" }), at({ userId: "\uFF5E" })], "a@x.io")).toBe(named("user", "\uFF5E"));
    expect(byEmail([at({ anonymousId: "e" }), at({ anonymousId: "d" })], "a@x.io")).toBe(named("anonymous", "d"));
  });

  test("A user id that looks like the email answers it, the smallest of several, unless somebody was identified with it.", () => {
    const history = [seen(0, { userId: "A@x.io" }), seen(0, { userId: "a@X.io" }), seen(0, { userId: "a@x.io" })];
    expect(byEmail(history, "a@X.io")).toBe(named("user", "A@x.io"));
    expect(byEmail([...history, identify(0, { userId: "u", email: "a@x.io" })], "a@x.io")).toBe(named("user", "u"));
    expect(() => byEmail([seen(0, { userId: "plain" })], "plain")).toThrow(refusal("identity_not_found"));
  });

  test("A subject is exactly one of email and user id; empty is neither.", () => {
    expect(() => ask([]).identityReferrers({} as IdentityInput)).toThrow(refusal("exactly_one_required"));
    expect(() => ask([]).identityReferrers({ email: "a@x.io", userId: "u" } as unknown as IdentityInput)).toThrow(refusal("exactly_one_required"));
    expect(() => ask([]).identityReferrers({ email: "", userId: "u" } as unknown as IdentityInput)).toThrow(refusal("identity_not_found"));
  });

  test("The resolved identifier is the newest email where it finds the identity, else the surviving user id; none for the anonymous.", () => {
    const identifiers = (history: History) =>
      ask([...history, ...["u", "v"].map((userId) => seen(5, { userId }, { companyId: "c" })), seen(6, { anonymousId: "d" }, { companyId: "c" })])
        .companyTopUsers({ companyId: "c" }).users.map(({ resolvedIdentifier }) => resolvedIdentifier);
    expect(identifiers([])).toEqual(["u", "v"]);
    expect(identifiers([identify(1, { userId: "u", email: "1@x.io" }), identify(2, { userId: "u", email: "2@x.io" })])).toEqual(["2@x.io", "v"]);
    // The newest of u is taken over by v: u falls back to its id, not to its older email.
    expect(identifiers([identify(1, { userId: "u", email: "1@x.io" }), identify(2, { userId: "u", email: "2@x.io" }), identify(3, { userId: "v", email: "2@x.io" })]))
      .toEqual(["2@x.io", "u"]);
    expect(identifiers([identify(1, { anonymousId: "d", email: "d@x.io" }), alias(2, "v", "u")])).toEqual(["u", "d@x.io"]);
  });
});

describe("filters and older reports", () => {
  test("The fields identity_id and company_id see what events resolve to.", () => {
    const history = [
      seen(0, { anonymousId: "d" }), identify(1, { anonymousId: "d", userId: "old" }), alias(2, "old", "new"), seen(3, {}),
      { group: { id: id(), companyId: "acme", userId: "old", createdAt: dayMs + 240_000 } } as HistoryItem,
    ];
    const count = (fieldName: string, operator: string, value?: string) => ask(history).countEvents({ filterGroups: [{ filters: [{ fieldName, operator, value }] }] });
    expect(count("identity_id", "=", named("user", "new"))).toBe(1);
    expect(count("identity_id", "is_not_set")).toBe(1);
    expect(count("company_id", "=", "acme")).toBe(1);
    expect(ask(history).countUniqueUsersPerDay()).toEqual([{ day: "2026-03-01T00:00:00.000Z", count: 1 }]);
  });
});
