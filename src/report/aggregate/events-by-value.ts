/* eslint-disable @typescript-eslint/no-non-null-assertion -- codes are bounded by their source */
import { addCounts, codeAt, histogramOfCounts, histogramOfRows, type CodeColumn, type Histogram } from "../../column/column.js";
import type { Selector } from "../../filter/predicate.js";
import { isWhole, select } from "../../filter/select.js";
import type { AggregateItem } from "../../plan/input.js";
import type { Rows } from "../../segment/rows.js";
import { histogram } from "../events/count-rows.js";
import { rankCounts } from "../../answer/ranked-items.js";
import { selectedRows } from "../../filter/selected-rows.js";
import type { Values } from "./value-sources.js";

/** What whole segments contribute: counts of every code, or only of those that some row has, source by source. */
type KeptCounts = readonly Histogram[];

/** Events by the value of a field or of a metadata path. */
export class EventsByValue {
  /** Source by source, by code: a store holds fewer events than a count can. */
  readonly #counts: Uint32Array<ArrayBuffer>[];

  constructor(readonly values: Values) {
    this.#counts = values.sources.map(({ size }) => new Uint32Array(size));
  }

  scan(rows: Rows, selector: Selector): void {
    const { sources } = this.values;
    const [only, ...others] = sources;
    if (only === undefined) return;
    if (others.length === 0 && only.column !== null && selector.key !== null && isWhole(rows, selector) && rows.settled)
      return addHistogram(this.#counts[0]!, selectedHistogram(rows, only.column, selector));
    const selected = selectedRows(select(rows, selector));
    const columns = sources.map((source) => source.codesOf(rows, selected));
    this.#makeRoom();
    if (others.length === 0) addCounts(columns[0]!, selected, this.#counts[0]!);
    else addChain(this.#counts, columns, selected);
  }

  keep(): KeptCounts {
    return this.#counts.map(histogramOfCounts);
  }

  addKept(kept: KeptCounts): void {
    this.#makeRoom();
    kept.forEach((histogram, place) => addHistogram(this.#counts[place]!, histogram));
  }

  ranked(limit: number | null): AggregateItem[] {
    const { values } = this;
    const propertyOf = (group: number) => values.propertyOf(group);
    if (values.distinct !== undefined) return rankCounts(this.#counts[0]!, { propertyOf, placesInOrder: values.distinct.placesInOrder }, limit);
    let counts = new Uint32Array(1024);
    this.#counts.forEach((totals, place) => {
      for (let code = 0; code < totals.length; code += 1) {
        if (totals[code] === 0) continue;
        for (const group of values.groupsOf(place, code)) {
          counts = withRoom(counts, group + 1);
          counts[group]! += totals[code]!;
        }
      }
    });
    return rankCounts(counts, { propertyOf }, limit);
  }

  /** Codes that are worked out become more while rows are looked at. */
  #makeRoom(): void {
    this.values.sources.forEach(({ size }, place) => (this.#counts[place] = withRoom(this.#counts[place]!, size)));
  }
}

function withRoom(counts: Uint32Array<ArrayBuffer>, length: number): Uint32Array<ArrayBuffer> {
  if (counts.length >= length) return counts;
  const longer = new Uint32Array(Math.max(length, counts.length * 2));
  longer.set(counts);
  return longer;
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

function addHistogram(totals: Uint32Array, { codes, counts }: Histogram): void {
  for (let at = 0; at < codes.length; at += 1) totals[codes[at]!]! += counts[at]!;
}

function addChain(counts: readonly Uint32Array[], columns: readonly CodeColumn[], selected: Uint32Array): void {
  const last = columns.length - 1;
  for (let at = 0; at < selected.length; at += 1) {
    let place = 0;
    let code = codeAt(columns[0]!, selected[at]!);
    while (code === 0 && place < last) {
      place += 1;
      code = codeAt(columns[place]!, selected[at]!);
    }
    counts[place]![code]! += 1;
  }
}
