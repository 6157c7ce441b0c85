import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Rows } from "../../../src/storage/segment/rows.js";
import { baseSeed } from "../../oracle/settings.js";
import { appendPlain, headOf, plain, plainRows, type PlainRow } from "./rows-of.js";

/** How often each row was looked at, and what it said. */
interface Seen {
  readonly names: readonly number[];
  readonly looks: number[];
}

function seenBy(looks: number[]) {
  return {
    of: (rows: Rows, first: number): Seen => {
      for (let row = 0; row < rows.rowCount; row += 1) looks[first + row] = (looks[first + row] ?? 0) + 1;
      return { names: plain(rows).map(({ name }) => name), looks };
    },
    join: (known: Seen, more: Seen): Seen => ({ names: [...known.names, ...more.names], looks }),
    byteLength: () => 8,
  };
}

const namesOf = (rows: readonly PlainRow[]) => rows.map(({ name }) => name);

describe("a head that grows", () => {
  test("shows the rows since any of them as it shows them all, and an older view stays what it was", () => {
    fc.assert(
      fc.property(plainRows, fc.nat(), fc.nat(), (rows, one, other) => {
        const [until, from] = [one % (rows.length + 1), other % (rows.length + 1)];
        const head = headOf(rows.slice(0, until));
        const early = head.view();
        const names = early.columnNames();
        for (const row of rows.slice(until)) appendPlain(head, row);
        expect(plain(head.view())).toEqual(rows);
        expect(plain(head.view().slice(from))).toEqual(rows.slice(from));
        expect(plain(early)).toEqual(rows.slice(0, until));
        expect(early.columnNames()).toEqual(names);
      }),
      { seed: baseSeed, numRuns: 300 },
    );
  });

  test("folds each row once, and answers an older view without the rows that came since", () => {
    const rows: PlainRow[] = Array.from({ length: 9 }, (_, at) => ({ ms: at, id: at, sequence: at, name: at + 1, url: 0, metadata: {} }));
    const head = headOf(rows.slice(0, 4));
    const looks: number[] = [];
    const early = head.view();
    const ask = (view: Rows) => view.deriveIncrementally("names", seenBy(looks)).names;
    expect(ask(early)).toEqual(namesOf(rows.slice(0, 4)));
    for (const row of rows.slice(4)) appendPlain(head, row);
    expect(ask(head.view())).toEqual(namesOf(rows));
    expect(ask(head.view())).toEqual(namesOf(rows));
    expect(looks).toEqual(rows.map(() => 1));
    expect(ask(early)).toEqual(namesOf(rows.slice(0, 4)));
    expect(ask(head.view())).toEqual(namesOf(rows));
    expect(looks).toEqual(rows.map((_, at) => (at < 4 ? 2 : 1)));
  });
});
