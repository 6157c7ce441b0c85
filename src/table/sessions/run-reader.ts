import { Scratch } from "../../base/scratch.js";
import type { Turns } from "../../base/turn.js";
import type { BitSet } from "../../column/bit-set.js";
import { LoadsAhead } from "../../segment/loads-ahead.js";
import type { Rows } from "../../segment/rows.js";
import { whilePinned } from "../../segment/while-pinned.js";
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
    /** Counts rows that are looked at. */
    readonly looked: (rowCount: number) => void,
  ) {}

  /** All runs of each. */
  async runsOf(all: readonly Rows[]): Promise<Map<Rows, Runs>> {
    const made = new Map<Rows, Runs>();
    await this.readEach(all, async (rows, read) => {
      this.looked(rows.rowCount);
      made.set(rows, await this.#make(rows, read));
    });
    return made;
  }

  /** The runs of some actors, of rows that were looked at before. */
  async runsOfActors(all: readonly Rows[], actors: BitSet): Promise<Map<Rows, Runs>> {
    const made = new Map<Rows, Runs>();
    await this.readEach(all, async (rows, read) => void made.set(rows, await this.#make(rows, { ...read, leftOut: othersOf(read, actors) })));
    return made;
  }

  /** Looks at one after the other while it is loaded; the next ones are on their way then. */
  async readEach(all: readonly Rows[], look: (rows: Rows, read: RowsToRun) => void | Promise<void>): Promise<void> {
    const loads = new LoadsAhead(all, (rows) => rows.load(this.source.columnsOf(rows)));
    try {
      for (const rows of all)
        await whilePinned([rows], async () => {
          await loads.of(rows);
          await Scratch.of(async (scratch) => await look(rows, this.source.read(rows, 0, scratch)));
          await this.turns.took(rows.rowCount);
        });
    } finally {
      loads.release();
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
