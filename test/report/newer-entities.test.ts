import { afterEach, expect, test, vi } from "vitest";
import { LastValues } from "../../src/engine/memo.js";
import { EntityDays } from "../../src/report/entity-days.js";
import { entitiesWithHeads } from "../../src/report/entity-table.js";
import { EntityTriples } from "../../src/report/entity-triples.js";
import type { ReportContext } from "../../src/report/report.js";
import { Head, HeadView } from "../../src/segment/head.js";
import { MemoryBudget } from "../../src/segment/memory-budget.js";
import { appendRow } from "../segment/rows-of.js";

afterEach(() => {
  vi.restoreAllMocks();
});

// Nobody has two ids, and nobody is asked for companies.
const identities = { linkCount: 0, identityOf: (actor: number) => actor };
const newContext = () => ({ memo: new LastValues(), identities, companies: null }) as unknown as ReportContext;

let sequence = 0;
function see(head: Head, userId: number, project: number): void {
  sequence += 1;
  appendRow(head, { ms: 5, id: new Uint8Array(16), sequence, fields: { userId, project } });
}

const headOf = (day: number) => new Head(day, new MemoryBudget(1e9));

/** Of users by their code, each seen in project 1 on a day, as segments tell it. */
async function baseOf(days: Readonly<Record<number, number>>, context: ReportContext): Promise<EntityDays> {
  const triples = new EntityTriples();
  for (const [user, day] of Object.entries(days)) triples.add(Number(user) * 2, 0, 1, day);
  return await EntityDays.of(triples, [], context);
}

const positive = (counts: ReadonlyMap<number, number>) => Object.fromEntries([...counts].filter(([, count]) => count > 0));

test("Users of heads are counted by their first day anywhere, once, in whatever order their events come.", async () => {
  const context = newContext();
  const base = await baseOf({ 1: 10, 2: 10, 3: 12 }, context);
  const [today, early] = [headOf(20), headOf(5)];
  const counts = (project: number) => positive(entitiesWithHeads(base, [early.view(), today.view()], context).countByDay(project));
  see(today, 1, 1);
  see(today, 4, 1);
  expect(counts(1)).toEqual({ 10: 2, 12: 1, 20: 1 });
  see(early, 1, 2);
  see(early, 4, 2);
  expect(counts(1), "an event of another project may be the first").toEqual({ 5: 2, 10: 1, 12: 1 });
  expect(counts(2)).toEqual({ 5: 2 });
  see(early, 5, 2);
  see(today, 5, 1);
  see(today, 5, 1);
  expect(counts(2)).toEqual({ 5: 3 });
  expect(counts(1)).toEqual({ 5: 3, 10: 1, 12: 1 });
});

test("A question that began earlier does not see who came since, and leaves what is known to later ones.", async () => {
  const context = newContext();
  const base = await baseOf({ 1: 10 }, context);
  const head = headOf(8);
  see(head, 2, 1);
  const before = [head.view()];
  see(head, 1, 1);
  const after = [head.view(), headOf(9).view()];
  const counts = (heads: readonly HeadView[]) => positive(entitiesWithHeads(base, heads, context).countByDay(1));
  expect(counts(after)).toEqual({ 8: 2 });
  expect(counts(before)).toEqual({ 8: 1, 10: 1 });
  expect(counts([]), "before there was a head").toEqual({ 10: 1 });
  expect(counts(after)).toEqual({ 8: 2 });
});

test("After a commit only its rows are looked at.", async () => {
  const context = newContext();
  const base = await baseOf({}, context);
  const heads = [headOf(3), headOf(4)];
  const since = vi.spyOn(HeadView.prototype, "since");
  const rowsLookedAt = () => {
    since.mockClear();
    entitiesWithHeads(base, heads.map((head) => head.view()), context);
    return since.mock.results.map(({ value }) => (value as HeadView).rowCount);
  };
  for (const head of heads) for (let user = 1; user <= 30; user += 1) see(head, user, 1);
  expect(rowsLookedAt()).toEqual([30, 30]);
  expect(rowsLookedAt()).toEqual([]);
  for (let user = 25; user < 30; user += 1) see(heads[1] as Head, user, 1);
  expect(rowsLookedAt()).toEqual([5]);
});
