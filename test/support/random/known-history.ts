import type { History, HistoryItem } from "../oracle/history.js";
import type { Random } from "../../../src/testing/random.js";
import { idOf, personHistory } from "./person-history.js";
import { anonymousIds, companyIds, emails, userIds } from "./person-values.js";

export const traitKeys = ["plan", "a.b", "a", "gone", "email", "__proto__", "\u{1F600}"];
/** Paths that filters ask for: keys, walks, walks that end nowhere. */
export const traitPaths = [...traitKeys, "a.c", "a.b.c", "plan.x", "missing", "$set_once", "$set_once.plan"];
const values: readonly unknown[] = [
  "pro", "free", "", null, 3, "3", 3.5, -1, true, "true", [], ["pro", 3], [null, ""], [["free"]], {}, { b: "pro", c: { d: 1 } }, { b: null }, { "b.c": 5, b: { c: "free" } },
  "2026-03-01", "\uFF5E", "\u{1F600}", { "\uFF5E": 1, "\u{1F600}": 2 },
];

/** Of several kinds, of which most clients have the first. */
const traitChanges = ["$set_once", "$set_once", "$set_once", "$add", "$append", "$union", "$remove"];

/** What one history names: the fewer, the more of it collides. */
interface Words {
  readonly userIds: readonly string[];
  readonly anonymousIds: readonly string[];
  readonly companyIds: readonly string[];
  readonly keys: readonly string[];
  readonly values: readonly unknown[];
  /** Which part of the records holds changes of traits. */
  readonly changeShare: number;
}

const many: Words = { userIds, anonymousIds, companyIds: companyIds.slice(0, 3), keys: traitKeys, values, changeShare: 0 };
const few: Words = { userIds: ["ann", "bob"], anonymousIds: ["d1", "d2"], companyIds: ["acme", "acme.com"], keys: ["plan", "a"], values: ["pro", "free", null, "", 3, { b: "pro" }], changeShare: 0 };

/** A random history of people with records that tell traits, some of which are taken back, and many of which share a millisecond. */
export function knownHistory(random: Random): History {
  const isSmall = random.chance(0.5);
  const changeShare = random.pick([0, 0.3, 0.7]);
  const words = isSmall ? { ...few, changeShare, keys: random.pick([few.keys, ["plan"], ["a", "a.b"]]) } : { ...many, changeShare };
  const items: HistoryItem[] = [...(isSmall ? smallHistory(random) : personHistory(random).history)];
  const times = items.flatMap((item) => ("createdAt" in item && typeof item.createdAt === "number" ? [item.createdAt] : []));
  const tieShare = random.pick([0.3, 0.7, 0.9]);
  for (let count = random.between(0, 14); count > 0; count -= 1) {
    const createdAt = times.length > 0 && random.chance(tieShare) ? random.pick(times) : instant(random);
    times.push(createdAt);
    items.splice(random.between(0, items.length), 0, record(random, words, createdAt));
  }
  return withUnlinks(random, items);
}

/** Events of few people, with and without both ids, of companies, campaigns and money. */
function smallHistory(random: Random): HistoryItem[] {
  const times: number[] = [];
  return Array.from({ length: random.between(3, 14) }, () => {
    const createdAt = times.length > 0 && random.chance(0.3) ? random.pick(times) : instant(random);
    times.push(createdAt);
    const who = random.pick([
      { userId: random.pick(few.userIds) }, { anonymousId: random.pick(few.anonymousIds) }, { userId: random.pick(few.userIds), anonymousId: random.pick(few.anonymousIds) }, random.chance(0.3) ? {} : { userId: "ann" },
    ]);
    return {
      id: uuid(random), name: random.pick(["Pageview", "click", "Payment", "Refund"]), createdAt, project: random.pick(["default", "default", "shop"]), ...who,
      ...(random.chance(0.2) ? { companyId: random.pick(few.companyIds) } : {}),
      ...(random.chance(0.5) ? { url: random.pick(["/", "/a?utm_source=news&utm_campaign=spring", "/b?utm_source=mail&utm_medium=cpc", "/c?gclid=1"]), hostname: "shop.example" } : {}),
      ...(random.chance(0.3) ? { value: random.pick([1, 2, -2, 0]), ...(random.chance(0.7) ? { externalId: random.pick(["o1", "o2"]) } : {}) } : {}),
    };
  });
}

function instant(random: Random): number {
  return Date.UTC(2026, 2, random.pick([-20, 1, 1, 1, 2]), random.below(3)) + random.pick([0, 0, 1]);
}

function record(random: Random, words: Words, createdAt: number): HistoryItem {
  const moment = { id: uuid(random), createdAt };
  const [user, device] = [{ userId: random.pick(words.userIds) }, { anonymousId: random.pick(words.anonymousIds) }];
  const who = random.pick([user, device, { ...user, ...device }]);
  // Own members, `__proto__` too.
  const some = () => Object.fromEntries(Array.from({ length: random.between(0, 3) }, () => [random.pick(words.keys), random.pick(words.values)]));
  const traits = random.chance(words.changeShare) ? { ...(random.chance(0.3) ? some() : {}), [random.pick(traitChanges)]: random.chance(0.9) ? some() : random.pick(words.values) } : some();
  const email = random.chance(0.3) ? { email: random.pick(emails) } : {};
  if (random.chance(0.1)) return { alias: { ...moment, from: random.pick([...words.userIds, ...words.anonymousIds]), to: random.pick(words.userIds) } };
  if (random.chance(0.6)) return { identify: { ...moment, ...who, ...email, traits } };
  return { group: { ...moment, ...who, companyId: random.pick(words.companyIds), traits } };
}

/** Each behind what it takes back. */
function withUnlinks(random: Random, items: readonly HistoryItem[]): History {
  const share = random.pick([0, 0.2, 0.5]);
  const told: HistoryItem[] = [...items];
  for (const item of items) {
    if ("name" in item || "unlink" in item || !random.chance(share)) continue;
    told.splice(random.between(told.indexOf(item) + 1, told.length), 0, { unlink: idOf(item) });
  }
  return told;
}

function uuid(random: Random): string {
  const digits = () => random.below(2 ** 24).toString(16).padStart(6, "0");
  return `${random.pick(["00000001", "7ffffff0", "fffffff0"])}-0000-4000-8000-${digits()}${digits()}`;
}
