import fc from "fast-check";
import { expect, test } from "vitest";
import { CodeSet } from "../../../src/storage/column/code-set.js";
import { hasFewRows } from "../../../src/engine/query/explain.js";
import { select, selectedRows, type Selector } from "../../../src/query/filter/select.js";
import { codesPredicate, type Predicate } from "../../../src/query/filter/predicate.js";
import { Head } from "../../../src/storage/segment/head.js";
import { MemoryBudget } from "../../../src/storage/segment/memory-budget.js";
import { mergeRows } from "../../../src/storage/segment/merge-rows.js";
import type { Rows } from "../../../src/storage/segment/rows.js";
import { StoreFiles } from "../../../src/store/files/files.js";
import { memoryStorage } from "../../../src/store/storage/memory-storage.js";
import { useLimits } from "../../limits.js";
import { baseSeed, caseCount } from "../../oracle/settings.js";
import { PROJECT_TEXTS, appendRow, idBytes } from "../../storage/segment/rows-of.js";

const ROW_COUNT = 300;

// Heads of this test are full.
useLimits({ headPartRowCount: 300 });

const CODE_COUNT = 420;
const DAY = 7;
const startMs = DAY * 86_400_000;
const files = new StoreFiles(memoryStorage(), new MemoryBudget(1e9));
let nextFile = 1;

interface Row {
  readonly ms: number;
  readonly user: number;
  readonly url: number;
  readonly device: number;
}

async function partOf(rows: readonly Row[], sealed: boolean): Promise<Rows> {
  const head = new Head(DAY, new MemoryBudget(1e9), PROJECT_TEXTS);
  rows.forEach(({ ms, user, url, device }, at) => appendRow(head, { ms, id: idBytes(at + 1), sequence: at + 1, fields: { userId: user, url, device } }));
  if (!sealed) return head.view();
  nextFile += 1;
  const { segment } = await files.writeSegment(nextFile, await mergeRows([head.view()]), []);
  await segment.load(["userId", "url", "device", "ms"]);
  return segment;
}

const many = fc.integer({ min: 250, max: CODE_COUNT - 1 });
const few = fc.integer({ min: 0, max: 3 });
const ms = fc.nat(4_000);
const row = fc.record({ ms, user: fc.oneof({ weight: 9, arbitrary: many }, few), url: fc.oneof(many, few), device: few });
const day = fc.array(row, { minLength: ROW_COUNT, maxLength: ROW_COUNT });
const users = fc.array(many, { minLength: 1, maxLength: 4 }).map((codes) => codesPredicate("userId", CodeSet.ofList(codes, false, CODE_COUNT)));
const devices = fc.tuple(fc.array(few, { maxLength: 3 }), fc.boolean()).map(([codes, negated]) => codesPredicate("device", CodeSet.ofList(codes, negated, CODE_COUNT)));
const instant = fc.tuple(ms, ms, fc.boolean()).map(
  ([from, length, negated]): Predicate => ({ kind: "instant", fromMs: startMs + from, toMs: startMs + from + length, negated }),
);
const chain = fc.tuple(fc.array(few, { maxLength: 2 }), fc.array(few, { maxLength: 2 })).map(
  ([first, second]): Predicate => ({ kind: "codes", columns: ["device", "url"], sets: [CodeSet.ofList(first, false, CODE_COUNT), CodeSet.ofList(second, true, CODE_COUNT)] }),
);
const filters = fc.tuple(users, fc.array(fc.oneof(devices, instant, chain), { maxLength: 2 })).map(([first, rest]) => [first, ...rest]);
const range = fc.oneof(fc.constant([-Infinity, Infinity] as const), fc.tuple(ms, ms).map(([from, length]) => [startMs + from, startMs + from + length] as const));

const selectorOf = (all: readonly Predicate[], [fromMs, toMs]: readonly [number, number]): Selector => ({ all, any: [], fromMs, toMs, key: null, actorFilter: null, columns: [], testedValueCount: 0 });

function passes(predicate: Predicate, { ms, user, url, device }: Row): boolean {
  if (predicate.kind === "constant") return predicate.value;
  if (predicate.kind === "instant") return (startMs + ms >= predicate.fromMs && startMs + ms < predicate.toMs) !== predicate.negated;
  if (predicate.kind === "row") throw new Error("none is made here");
  const values = predicate.columns.map((column) => (column === "userId" ? user : column === "url" ? url : device));
  const place = values.findIndex((value) => value !== 0);
  const last = place === -1 ? values.length - 1 : place;
  return predicate.sets[last]?.has(values[last] ?? 0) === true;
}

test.each([true, false])("Rows found by posting lists are those that a look at each row finds, and lists are used where they are short (sealed: %s).", async (sealed) => {
  const runs = caseCount(10, 200);
  let usedCount = 0;
  await fc.assert(
    fc.asyncProperty(day, fc.array(fc.tuple(filters, range), { minLength: 30, maxLength: 60 }), async (rows, asked) => {
      const inOrder = sealed ? rows.map((value, at) => ({ value, at })).sort((a, b) => a.value.ms - b.value.ms || a.at - b.at).map(({ value }) => value) : rows;
      const part = await partOf(rows, sealed);
      for (const [all, [fromMs, toMs]] of asked) {
        const selection = select(part, selectorOf(all, [fromMs, toMs]));
        const isExpected = (candidate: Row) => startMs + candidate.ms >= fromMs && startMs + candidate.ms < toMs && all.every((predicate) => passes(predicate, candidate));
        expect([...selectedRows(selection)]).toEqual(inOrder.flatMap((candidate, at) => (isExpected(candidate) ? [at] : [])));
        if (selection.kind !== "rows") continue;
        usedCount += 1;
        expect(hasFewRows(part, selectorOf(all, [fromMs, toMs]))).toBe(true);
      }
    }),
    { seed: baseSeed, numRuns: runs },
  );
  expect(usedCount).toBeGreaterThan(10 * runs);
});
