import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Yielder } from "../../../src/core/base/yield.js";
import type { CodeColumn } from "../../../src/storage/column/column.js";
import { decodeActorTriples, encodeActorTriples, actorTriplesOf, type ActorTriples } from "../../../src/storage/segment/summaries.js";
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

function found(rows: readonly Row[], yielder?: Yielder): Promise<ActorTriples> {
  const column = (name: string): CodeColumn => ({ kind: "dense", codes: Uint32Array.from(rows, COLUMNS[name] ?? (() => 0)) });
  return actorTriplesOf(rows.length, column, yielder);
}

const triplesOf = ({ actors, companies, projects }: ActorTriples) => Array.from(actors, (actor, at) => [actor, companies[at], projects[at]]);

/** The largest codes there can be among them. */
const code = fc.oneof({ weight: 4, arbitrary: fc.nat({ max: 3 }) }, fc.constantFrom(300, 70_000, 2 ** 24 - 1));
const rowArbitrary = fc.record({ user: code, anonymous: code, company: code, project: code });

describe("who did something", () => {
  test("is each actor with each company and project, once, ascending; nobody's events are left out", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(rowArbitrary, { maxLength: 60 }), fc.integer({ min: 1, max: 100 }), async (rows, pieceLength) => {
        const expected = new Map<string, number[]>();
        for (const { user, anonymous, company, project } of rows) {
          const actor = user !== 0 ? user * 2 : anonymous !== 0 ? anonymous * 2 + 1 : 0;
          if (actor !== 0) expected.set(`${actor} ${company} ${project}`, [actor, company, project]);
        }
        const ordered = [...expected.values()].sort(([a = 0, b = 0, c = 0], [d = 0, e = 0, f = 0]) => a - d || b - e || c - f);
        expect(triplesOf(await found(rows, new Yielder(pieceLength)))).toEqual(ordered);
      }),
      { seed: baseSeed, numRuns: 300 },
    );
  });

  test("is read back as it was written", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(rowArbitrary, { maxLength: 60 }), async (rows) => {
        const who = await found(rows);
        const { bytes, meta } = await encodeActorTriples(who, new Yielder(7));
        expect(decodeActorTriples(meta, bytes)).toEqual(who);
      }),
      { seed: baseSeed },
    );
  });
});
