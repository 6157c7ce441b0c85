import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Yielder } from "../../../src/core/base/yield.js";
import type { CodeColumn } from "../../../src/storage/column/column.js";
import { MemoryBudget } from "../../../src/storage/segment/memory-budget.js";
import { ACTOR_LISTS, actorTriplesOf, type ActorTriples } from "../../../src/storage/segment/summaries.js";
import { StoreFiles } from "../../../src/store/files/files.js";
import { memoryStorage } from "../../../src/store/storage/memory-storage.js";
import { baseSeed } from "../../oracle/settings.js";

interface Row {
  readonly user: number;
  readonly anonymous: number;
  readonly company: number;
  readonly project: number;
}

const COLUMNS: Record<string, (row: Row) => number> = {
  userId: ({ user }) => user, anonymousId: ({ anonymous }) => anonymous, companyId: ({ company }) => company, project: ({ project }) => project,
};

function columnOf(rows: readonly Row[]): (name: string) => CodeColumn {
  return (name) => ({ kind: "dense", codes: Uint32Array.from(rows, COLUMNS[name] ?? (() => 0)) });
}

function found(rows: readonly Row[], yielder?: Yielder): Promise<ActorTriples> {
  return actorTriplesOf(rows.length, columnOf(rows), yielder);
}

/** The triples of a segment file with these rows. */
async function stored(rows: readonly Row[]): Promise<ActorTriples> {
  const columns = new Map(Object.keys(COLUMNS).map((name) => [name, columnOf(rows)(name)]));
  const files = new StoreFiles(memoryStorage(), new MemoryBudget(1e9));
  const merged = { day: 20_513, times: new Int32Array(rows.length), ids: new Uint8Array(rows.length * 16), sequences: new Uint32Array(rows.length), columns };
  const { entry } = await files.writeSegment(1, merged, []);
  return await (await files.openSegment(entry)).actorLists(ACTOR_LISTS);
}

const triplesOf = ({ plain, members, companies, projects }: ActorTriples) => [
  ...Array.from(plain, (actor, at) => [actor, 0, projects[at]]),
  ...Array.from(members, (actor, at) => [actor, companies[at], projects[plain.length + at]]),
];

/** The largest codes there can be among them. */
const code = fc.oneof({ weight: 4, arbitrary: fc.nat({ max: 3 }) }, fc.constantFrom(300, 70_000, 2 ** 24 - 1));
const rowArbitrary = fc.record({ user: code, anonymous: code, company: code, project: code });

describe("who did something", () => {
  test("is each actor with each company and project, once, those without a company first; nobody's events are left out", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(rowArbitrary, { maxLength: 60 }), fc.integer({ min: 1, max: 100 }), async (rows, pieceLength) => {
        const expected = new Map<string, number[]>();
        for (const { user, anonymous, company, project } of rows) {
          const actor = user !== 0 ? user * 2 : anonymous !== 0 ? anonymous * 2 + 1 : 0;
          if (actor !== 0) expected.set(`${actor} ${company} ${project}`, [actor, company, project]);
        }
        const ordered = [...expected.values()].sort(([a = 0, b = 0, c = 0], [d = 0, e = 0, f = 0]) => Number(b > 0) - Number(e > 0) || a - d || b - e || c - f);
        expect(triplesOf(await found(rows, new Yielder(pieceLength)))).toEqual(ordered);
      }),
      { seed: baseSeed, numRuns: 300 },
    );
  });

  test("is read back as it was written", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(rowArbitrary, { minLength: 1, maxLength: 60 }), async (rows) => {
        expect(await stored(rows)).toEqual(await found(rows));
      }),
      { seed: baseSeed },
    );
  });

  test("is read back if thousands of actors have a company, if none has, and if all have", async () => {
    const rows = Array.from({ length: 20_000 }, (_, at) => ({ user: (at * 7_919) % 6_000, anonymous: at % 50, company: (at * 31) % 900, project: 1 + (at % 3) }));
    for (const some of [rows, rows.map((row) => ({ ...row, company: 0 })), rows.map((row) => ({ ...row, company: 7 }))]) expect(await stored(some)).toEqual(await found(some));
  });
});
