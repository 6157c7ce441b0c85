/* eslint-disable @typescript-eslint/no-non-null-assertion -- codes are bounded by their dictionary */
import { codeAt } from "../column/column.js";
import type { Dictionaries } from "../column/dictionaries.js";
import { propertiesOf, walk } from "../filter/operand-value.js";
import { isWhole, select } from "../filter/select.js";
import type { Operand } from "../plan/plan.js";
import { metadataColumn } from "../schema/fields.js";
import type { Rows } from "../segment/rows.js";
import { histogram } from "./count-rows.js";
import type { Report, ReportContext } from "./report.js";
import { selectedRows } from "./selected-rows.js";
import { rankCounts } from "./ranked-items.js";

/** A column whose codes are counted, and the properties that each code stands for. */
interface Source {
  readonly column: string;
  readonly size: number;
  /** Each code has a property of its own. */
  readonly isDistinct: boolean;
  propertiesOf(code: number): readonly string[];
}

interface AggregateState {
  /** A row counts at the first source in which it has a code, else at code 0 of the last. */
  readonly sources: readonly Source[];
  readonly counts: readonly Float64Array[];
  /** Rows without a value where there is no column at all. */
  unsetCount: number;
}

/** Matching events by the value of a field or of a metadata path, most frequent first. */
export const aggregate: Report<"aggregate", AggregateState> = {
  columns: (plan, { dictionaries }) => sourcesOf(plan.by, dictionaries).map((source) => source.column),
  begin: (plan, { dictionaries }) => {
    const sources = sourcesOf(plan.by, dictionaries);
    return { sources, counts: sources.map((source) => new Float64Array(source.size)), unsetCount: 0 };
  },
  scan: (state, rows, context) => {
    if (state.sources.length === 1 && isUnfiltered(rows, context)) addHistogram(state, rows);
    else addRows(state, rows, selectedRows(select(rows, context.selector)));
  },
  merge: (into, from) => {
    into.unsetCount += from.unsetCount;
    from.counts.forEach((counts, place) => counts.forEach((count, code) => (into.counts[place]![code]! += count)));
  },
  finish: (state, plan) => {
    const [only, ...others] = state.sources;
    if (only?.isDistinct === true && others.length === 0)
      return rankCounts(state.counts[0]!, (code) => only.propertiesOf(code)[0] ?? "", plan.limit);
    const counts = propertyCounts(state);
    const properties = [...counts.keys()];
    return rankCounts(Float64Array.from(counts.values()), (place) => properties[place] ?? "", plan.limit);
  },
};

function sourcesOf(by: Operand, dictionaries: Dictionaries): Source[] {
  if (by.kind === "field") {
    const dictionary = dictionaries.named(by.field);
    return [{ column: by.field, size: dictionary.size, isDistinct: true, propertiesOf: (code) => [dictionary.valueOf(code)] }];
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
    propertiesOf: (code) => propertiesOf(walk(dictionary.json(code), rest)),
  };
}

function isUnfiltered(rows: Rows, { selector }: ReportContext): boolean {
  return rows.sealed && selector.all.length === 0 && selector.any.length === 0 && isWhole(rows, selector);
}

function addHistogram(state: AggregateState, rows: Rows): void {
  const { codes, counts } = histogram(rows, state.sources[0]!.column);
  const totals = state.counts[0]!;
  for (let at = 0; at < codes.length; at += 1) totals[codes[at]!]! += counts[at]!;
}

function addRows(state: AggregateState, rows: Rows, selected: Uint32Array): void {
  const [only, ...others] = state.sources;
  if (only === undefined) state.unsetCount += selected.length;
  else if (others.length === 0) addColumn(state.counts[0]!, rows, only.column, selected);
  else addChain(state, rows, selected);
}

function addColumn(totals: Float64Array, rows: Rows, name: string, selected: Uint32Array): void {
  const column = rows.column(name);
  if (column.kind === "dense") {
    const { codes } = column;
    for (let at = 0; at < selected.length; at += 1) totals[codes[selected[at]!]!]! += 1;
    return;
  }
  let next = 0;
  for (let at = 0; at < selected.length; at += 1) {
    while (next < column.rows.length && column.rows[next]! < selected[at]!) next += 1;
    totals[column.rows[next] === selected[at] ? column.codes[next]! : 0]! += 1;
  }
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
