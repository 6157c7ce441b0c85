/* eslint-disable @typescript-eslint/no-non-null-assertion -- codes are bounded by their dictionary */
import { addCounts, codeAt, histogramOfCounts, histogramOfRows } from "../column/column.js";
import type { Histogram } from "../column/column.js";
import type { Dictionaries } from "../column/dictionaries.js";
import { propertiesOf, walk } from "../filter/operand-value.js";
import type { Selector } from "../filter/predicate.js";
import { isWhole, select } from "../filter/select.js";
import type { Operand } from "../plan/plan.js";
import { metadataColumn } from "../schema/fields.js";
import type { Rows } from "../segment/rows.js";
import { countRows, histogram } from "./count-rows.js";
import type { Report, ReportContext } from "./report.js";
import { selectedRows } from "./selected-rows.js";
import { rankCounts } from "./ranked-items.js";
import type { Ranked } from "./ranked-items.js";

/** A column whose codes are counted, and the properties that each code stands for. */
interface Source extends Ranked {
  readonly column: string;
  readonly size: number;
  /** Each code has a property of its own, told by `propertyOf`. */
  readonly isDistinct: boolean;
  propertiesOf(code: number): readonly string[];
}

interface AggregateState {
  /** A row counts at the first source in which it has a code, else at code 0 of the last. */
  readonly sources: readonly Source[];
  /** By code: a store holds fewer events than a count can. */
  readonly counts: readonly Uint32Array[];
  /** Rows without a value where there is no column at all. */
  unsetCount: number;
}

/** What whole segments contribute: counts of every code, or only of those that some row has, source by source. */
interface KeptCounts {
  readonly histograms: readonly Histogram[];
  readonly unsetCount: number;
}

/** Matching events by the value of a field or of a metadata path, most frequent first. */
export const aggregate: Report<"aggregate", AggregateState, KeptCounts> = {
  columns: (plan, context) => settledSources(plan.by, context).map((source) => source.column),
  begin: (plan, context) => {
    const sources = settledSources(plan.by, context);
    return { sources, counts: sources.map((source) => new Uint32Array(source.size)), unsetCount: 0 };
  },
  scan: (state, rows, { selector }) => {
    const [only, ...others] = state.sources;
    if (only === undefined) state.unsetCount += countRows(rows, selector);
    else if (others.length > 0) addChain(state, rows, selectedRows(select(rows, selector)));
    else if (selector.key === null || !isWhole(rows, selector) || !rows.settled)
      addCounts(rows.column(only.column), selectedRows(select(rows, selector)), state.counts[0]!);
    else addHistogram(state.counts[0]!, selectedHistogram(rows, only.column, selector));
  },
  merge: (into, from) => {
    into.unsetCount += from.unsetCount;
    from.counts.forEach((counts, place) => counts.forEach((count, code) => (into.counts[place]![code]! += count)));
  },
  finish: (state, plan) => {
    const [only, ...others] = state.sources;
    if (only?.isDistinct === true && others.length === 0) return rankCounts(state.counts[0]!, only, plan.limit);
    const counts = propertyCounts(state);
    const properties = [...counts.keys()];
    return rankCounts(Uint32Array.from(counts.values()), { propertyOf: (place) => properties[place] ?? "" }, plan.limit);
  },
  kept: {
    key: (plan, context) => settledSources(plan.by, context).map(({ column }) => column).join(),
    of: ({ counts, unsetCount }) => ({ histograms: counts.map(histogramOfCounts), unsetCount }),
    add: (state, { histograms, unsetCount }) => {
      state.unsetCount += unsetCount;
      histograms.forEach((histogram, place) => addHistogram(state.counts[place]!, histogram));
    },
    byteLength: ({ histograms }) => histograms.reduce((sum, { codes }) => sum + codes.byteLength * 2, 8),
  },
};

const settled = new WeakMap<ReportContext, readonly Source[]>();

/** The same for all states of one question, however many values and keys arrive meanwhile. */
function settledSources(by: Operand, context: ReportContext): readonly Source[] {
  let sources = settled.get(context);
  if (sources === undefined) settled.set(context, (sources = sourcesOf(by, context.dictionaries)));
  return sources;
}

function sourcesOf(by: Operand, dictionaries: Dictionaries): Source[] {
  if (by.kind === "field") {
    const dictionary = dictionaries.named(by.field);
    const { size } = dictionary;
    const propertyOf = (code: number) => dictionary.valueOf(code);
    // Values that came after the question began are not in its counts.
    const placesInOrder = () => (dictionary.size === size ? dictionary.codesInOrder() : dictionary.codesInOrder().filter((code) => code < size));
    return [{ column: by.field, size, isDistinct: true, propertyOf, placesInOrder, propertiesOf: (code) => [propertyOf(code)] }];
  }
  const path = by.kind === "metadataPath" ? by.path : "";
  const segments = path.split(".");
  const sources: Source[] = [];
  const literal = dictionaries.knownKeyCode(path);
  if (literal > 0) sources.push(metadataSource(dictionaries, literal, []));
  const root = segments.length > 1 ? dictionaries.knownKeyCode(segments[0] ?? "") : -1;
  if (root > 0) sources.push(metadataSource(dictionaries, root, segments.slice(1)));
  return sources;
}

function metadataSource(dictionaries: Dictionaries, key: number, rest: readonly string[]): Source {
  const dictionary = dictionaries.ofKey(key);
  return {
    column: metadataColumn(key),
    size: dictionary.size,
    isDistinct: false,
    propertyOf: () => "",
    propertiesOf: (code) => propertiesOf(walk(dictionary.json(code), rest)),
  };
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

function addChain(state: AggregateState, rows: Rows, selected: Uint32Array): void {
  const columns = state.sources.map((source) => rows.column(source.column));
  const last = columns.length - 1;
  for (let at = 0; at < selected.length; at += 1) {
    let place = 0;
    let code = codeAt(columns[0]!, selected[at]!);
    while (code === 0 && place < last) {
      place += 1;
      code = codeAt(columns[place]!, selected[at]!);
    }
    state.counts[place]![code]! += 1;
  }
}

function propertyCounts(state: AggregateState): Map<string, number> {
  const counts = new Map<string, number>();
  const add = (property: string, count: number) => counts.set(property, (counts.get(property) ?? 0) + count);
  if (state.unsetCount > 0) add("", state.unsetCount);
  state.sources.forEach((source, place) => {
    const totals = state.counts[place]!;
    for (let code = 0; code < totals.length; code += 1)
      if (totals[code] !== 0) for (const property of source.propertiesOf(code)) add(property, totals[code]!);
  });
  return counts;
}
