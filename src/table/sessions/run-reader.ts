import { Scratch } from "../../base/scratch.js";
import type { Turns } from "../../base/turn.js";
import type { BitSet } from "../../column/bit-set.js";
import type { Rows } from "../../segment/rows.js";
import { actorAt, orderOfHead, type RowsToRun, type RunSource } from "./rows-to-run.js";
import { type RunMaker, Runs } from "./runs.js";

/** What a row costs that is made part of a run, in values. */
const VALUES_PER_ROW = 8;

/** Makes the runs of segments and heads, one after the other, in turns. */
export class RunReader {
  /** Memory that was never written to is far slower to write to: all share this, and take a copy. */
  readonly #scratch = new Runs();

  constructor(
    readonly source: RunSource,
    readonly maker: RunMaker,
    readonly turns: Turns,
    /** Counts rows that were looked at. */
    readonly looked: (rowCount: number) => void,
  ) {}

  /** All runs. */
  async runsOf(rows: Rows): Promise<Runs> {
    return await this.read(rows, (read) => this.#make(rows, read));
  }

  /** The runs of some actors. */
  async runsOfActors(rows: Rows, actors: BitSet): Promise<Runs> {
    return await this.read(rows, (read) => this.#make(rows, { ...read, leftOut: othersOf(read, actors) }));
  }

  /** Looks at rows while they are loaded. */
  async read<T>(rows: Rows, look: (read: RowsToRun) => T | Promise<T>): Promise<T> {
    this.looked(rows.rowCount);
    rows.pin();
    try {
      await rows.load(this.source.columnsOf(rows));
      return await Scratch.of(async (scratch) => await look(this.source.read(rows, 0, scratch)));
    } finally {
      rows.unpin();
    }
  }

  async #make(rows: Rows, read: RowsToRun): Promise<Runs> {
    const { maker, turns } = this;
    const runs = this.#scratch;
    const order = rows.sealed ? null : await orderOfHead(rows, turns);
    runs.clear();
    runs.addRows(rows.rowCount);
    maker.begin(runs);
    await turns.inPieces(rows.rowCount, (from, to) => maker.add(runs, read, order, from, to), VALUES_PER_ROW);
    maker.end(runs);
    return runs.trimmed();
  }
}

/** 1 for rows of others, and for those that are left out anyway. */
function othersOf(read: RowsToRun, actors: BitSet): Uint8Array {
  const leftOut = read.leftOut?.slice() ?? new Uint8Array(read.times.length);
  for (let row = 0; row < leftOut.length; row += 1) if (!actors.has(actorAt(read, row))) leftOut[row] = 1;
  return leftOut;
}
