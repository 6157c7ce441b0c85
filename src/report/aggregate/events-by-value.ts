/* eslint-disable @typescript-eslint/no-non-null-assertion -- codes are bounded by their source */
import { codeAt, histogramOfRows, type CodeColumn, type Histogram } from "../../column/column.js";
import { inTurns, piecesOf } from "../../base/steps.js";
import { Turns } from "../../base/turn.js";
import type { Selector } from "../../filter/predicate.js";
import { isWhole, select } from "../../filter/select.js";
import type { AggregateItem } from "../../plan/input.js";
import type { Rows } from "../../segment/rows.js";
import { histogram } from "../events/count-rows.js";
import { ranking, type Ranked } from "../../answer/ranked-items.js";
import { selectedRows } from "../../filter/selected-rows.js";
import { CodeCounts } from "./code-counts.js";
import type { Values } from "./value-sources.js";

/** What whole segments contribute: counts of every code, or only of those that some row has, source by source. */
type KeptCounts = readonly Histogram[];

/** Codes whose texts are looked at in one step. */
const CODES_PER_STEP = 4_096;

/** Events by the value of a field or of a metadata path. */
export class EventsByValue {
  /** Source by source, by code: a store holds fewer events than a count can. */
  readonly #counts: readonly CodeCounts[];

  constructor(readonly values: Values) {
    this.#counts = values.sources.map(({ size }) => new CodeCounts(size));
  }

  scan(rows: Rows, selector: Selector): void {
    const { sources } = this.values;
    const [only, ...others] = sources;
    if (only === undefined) return;
    if (others.length === 0 && only.column !== null && selector.key !== null && isWhole(rows, selector) && rows.settled)
      return this.#counts[0]!.addHistogram(selectedHistogram(rows, only.column, selector));
    const selected = selectedRows(select(rows, selector));
    const columns = sources.map((source) => source.codesOf(rows, selected));
    this.#makeRoom();
    if (others.length === 0) this.#counts[0]!.addRows(columns[0]!, selected);
    else addChain(this.#counts, columns, selected);
  }

  keep(): KeptCounts {
    return this.#counts.map((counts) => counts.histogram());
  }

  addKept(kept: KeptCounts): void {
    this.#makeRoom();
    kept.forEach((histogram, place) => this.#counts[place]!.addHistogram(histogram));
  }

  /** Cost: the codes that have a count; where they are many, all codes. @param pause gives others a turn, and ends the question by what it throws */
  async ranked(limit: number | null, pause: () => Promise<void>): Promise<AggregateItem[]> {
    const { values } = this;
    const rank = (counts: Uint32Array, ranked: Ranked) => inTurns(ranking(counts, ranked, limit), pause);
    const propertyOf = (group: number) => values.propertyOf(group);
    if (values.distinct !== undefined) {
      const counted = this.#counts[0]!;
      const { few } = counted;
      if (few === null && limit === null) await values.distinct.prepareOrder?.(counted.codeCount, new Turns(undefined, pause));
      await pause();
      if (few === null) return await rank(counted.all, { propertyOf, placesInOrder: values.distinct.placesInOrder });
      const ordered = limit === null ? (values.distinct.fewInOrder?.(few) ?? null) : null;
      if (ordered === null) return await rank(few.map((code) => counted.all[code]!), { propertyOf: (place) => propertyOf(few[place]!) });
      const places = ordered.map((_, place) => place);
      return await rank(ordered.map((code) => counted.all[code]!), { propertyOf: (place) => propertyOf(ordered[place]!), placesInOrder: () => places });
    }
    const totals = new CodeCounts(1024);
    for (const [place, counted] of this.#counts.entries()) {
      const { codes, counts } = counted.histogram();
      const add = (from: number, to: number) => {
        for (let at = from; at < to; at += 1)
          for (const group of values.groupsOf(place, codes[at]!)) {
            totals.makeRoom(group + 1);
            totals.add(group, counts[at]!);
          }
      };
      await inTurns(piecesOf(codes.length, CODES_PER_STEP, add), pause);
    }
    const { codes: groups, counts } = totals.histogram();
    return await rank(counts, { propertyOf: (place) => propertyOf(groups[place]!) });
  }

  /** Codes that are worked out become more while rows are looked at. */
  #makeRoom(): void {
    this.values.sources.forEach(({ size }, place) => this.#counts[place]!.makeRoom(size));
  }
}

export function byteLengthOfCounts(kept: KeptCounts): number {
  return kept.reduce((sum, { codes }) => sum + codes.byteLength * 2, 8);
}

/** Selected rows by code, kept with a sealed segment that lies wholly in the range. */
function selectedHistogram(rows: Rows, column: string, selector: Selector): Histogram {
  if (selector.key === "") return histogram(rows, column);
  const make = () => histogramOfRows(rows.column(column), selectedRows(select(rows, selector)));
  return rows.derive(`histogram ${column} ${selector.key}`, make, ({ codes }) => codes.byteLength * 2);
}

function addChain(counts: readonly CodeCounts[], columns: readonly CodeColumn[], selected: Uint32Array): void {
  const last = columns.length - 1;
  for (let at = 0; at < selected.length; at += 1) {
    let place = 0;
    let code = codeAt(columns[0]!, selected[at]!);
    while (code === 0 && place < last) {
      place += 1;
      code = codeAt(columns[place]!, selected[at]!);
    }
    counts[place]!.add(code, 1);
  }
}
