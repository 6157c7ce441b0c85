/* eslint-disable @typescript-eslint/no-non-null-assertion -- rows are bounded by their columns */
import { areSameNumbers } from "../../core/base/same-numbers.js";
import { MS_PER_DAY } from "../../core/base/time.js";
import { denseCodes } from "../../storage/column/column.js";
import { moneyExcerpt } from "../../storage/derived/stored.js";
import { ID_COLUMN, SEQUENCE_COLUMN, SHAPE_COLUMN, TIME_COLUMN } from "../../core/schema/fields.js";
import { LINKS_BLOCK, ACTORS_BLOCK, rowsBlock, type ContainerFooter, type ColumnMeta, type SegmentMeta } from "../../storage/segment/segment-file.js";
import { orderWithin } from "../../storage/segment/event-order.js";
import { excerptBlock, excerptOf, actorTriplesOf, type Excerpt, type ExcerptSource, type ActorTriples } from "../../storage/segment/summaries.js";
import { linksOf } from "../../storage/segment/id-links.js";
import { areSameLinks } from "../../storage/segment/link-list.js";
import type { Segment } from "../../storage/segment/segment.js";
import type { Findings } from "../files/findings.js";
import type { SegmentEntry } from "../files/manifest.js";
import type { SequenceSet } from "./verify-records.js";
import type { CodeChecker } from "./verify-dictionaries.js";

export interface SegmentChecks {
  readonly judge: CodeChecker;
  readonly sequences: SequenceSet;
  /** All sequences of segments must be below it. */
  readonly nextSequence: number;
  readonly findings: Findings;
}

/** Columns in which every event has a value. */
const DEMANDED = ["name", "project"];

/** Checks the rows of a segment, whose columns must all be loaded, against the invariants and its footer. */
export async function verifySegment(entry: SegmentEntry, segment: Segment, footer: ContainerFooter<SegmentMeta>, laws: SegmentChecks): Promise<void> {
  const { findings } = laws;
  const { meta } = footer;
  const expect = (what: string, expected: unknown, found: unknown) => {
    if (expected !== found) findings.add(entry.key, `${what} ${String(expected)}`, String(found));
  };
  expect("day", entry.day, meta.day);
  expect("row count", entry.rowCount, meta.rowCount);
  expect("rows with times:", meta.rowCount, segment.times().length);
  expect("rows with ids:", meta.rowCount, segment.ids().length / 16);
  expect("rows with sequences:", meta.rowCount, segment.sequences().length);
  verifyBlocks(entry.key, footer, segment, findings);
  verifyOrder(entry.key, segment, findings);
  expect("earliest ms of the day", segment.times()[0], meta.minMs);
  expect("latest ms of the day", segment.times().at(-1), meta.maxMs);
  verifySequences(entry.key, segment, laws);
  for (const column of meta.columns) verifyColumn(entry.key, segment, column, laws);
  for (const name of DEMANDED) if (segment.zone(name)?.hasZero !== false) findings.add(entry.key, `a ${name} in each row`, "rows without one");
  verifyShapes(entry.key, segment, laws);
  if (!areSameLinks(await linksOf(segment), segment.links)) findings.add(entry.key, "links that match the rows", "different links");
  const who = await actorTriplesOf(segment.rowCount, (name) => segment.column(name));
  if (!areSameWho(await segment.who(), who)) findings.add(entry.key, "a list of actors that matches the rows", "a different list");
  await verifyExcerpts(entry.key, segment, laws);
}

function areSameWho(one: ActorTriples, other: ActorTriples): boolean {
  return areSameNumbers(one.actors, other.actors) && areSameNumbers(one.companies, other.companies) && areSameNumbers(one.projects, other.projects);
}

function verifyBlocks(key: string, { blocks, meta }: ContainerFooter<SegmentMeta>, { links }: Segment, findings: Findings): void {
  const wanted = meta.columns.flatMap(({ name, entryCount }) => (entryCount === undefined ? [name] : [rowsBlock(name), name]));
  const linkBlocks = links.times.length > 0 ? [LINKS_BLOCK] : [];
  const expected = [TIME_COLUMN, ID_COLUMN, SEQUENCE_COLUMN, ...wanted, ACTORS_BLOCK, ...excerptBlocks(meta), ...linkBlocks].sort().join(" ");
  const found = blocks.map(({ name }) => name).sort().join(" ");
  if (found !== expected) findings.add(key, `the blocks ${expected}`, found);
}

function excerptBlocks({ excerpts = [] }: SegmentMeta): string[] {
  return excerpts.filter(({ rowCount }) => rowCount > 0).map(({ name }) => excerptBlock(name));
}

/** Checks that the excerpts match the rows. */
async function verifyExcerpts(key: string, segment: Segment, { judge, findings }: SegmentChecks): Promise<void> {
  for (const { name, of } of segment.meta.excerpts ?? []) {
    const rule = moneyExcerpt(judge.dictionaries, of);
    const [made, stored] = [await excerptOf(sourceOf(segment), rule), await segment.excerpt(name, of)];
    if (made === null || stored === null || !areSameExcerpts(made, stored, rule.columns)) findings.add(key, `an excerpt ${name} that matches the columns`, "a different one");
  }
}

function sourceOf(segment: Segment): ExcerptSource {
  const columns = new Map(segment.columnNames().map((name) => [name, segment.column(name)]));
  return { day: segment.day, times: segment.times(), sequences: segment.sequences(), columns };
}

function areSameExcerpts(one: Excerpt, other: Excerpt, columns: readonly string[]): boolean {
  const codesOf = (excerpt: Excerpt, name: string) => denseCodes(excerpt.column(name));
  return areSameNumbers(one.times(), other.times()) && areSameNumbers(one.sequences(), other.sequences())
    && columns.every((name) => areSameNumbers(codesOf(one, name), codesOf(other, name)));
}

function verifyOrder(key: string, segment: Segment, findings: Findings): void {
  const times = segment.times();
  const compare = orderWithin(segment);
  for (let row = 0; row < times.length; row += 1) {
    const ms = times[row]!;
    if (ms < 0 || ms >= MS_PER_DAY) findings.add(key, `a time within the day in row ${row}`, `${ms} ms`);
    if (row === 0) continue;
    const order = times[row - 1]! - ms || compare(row - 1, row);
    if (order > 0) findings.add(key, `row ${row} after row ${row - 1} in the order (createdAt, id, project)`, "it before that row");
  }
}

function verifySequences(key: string, segment: Segment, { sequences, nextSequence, findings }: SegmentChecks): void {
  const { firstSequence, lastSequence } = segment.meta;
  let [first, last] = [Infinity, 0];
  segment.sequences().forEach((sequence, row) => {
    if (sequence < first) first = sequence;
    if (sequence > last) last = sequence;
    if (sequence < 1 || sequence >= nextSequence) findings.add(key, `a sequence from 1 to ${nextSequence - 1} in row ${row}`, String(sequence));
    else if (!sequences.add(sequence)) findings.add(key, `a unique sequence in row ${row}`, `${sequence}, which another row or record has`);
  });
  if (first !== firstSequence || last !== lastSequence) findings.add(key, `the sequences ${first} to ${last} in the footer`, `${firstSequence} to ${lastSequence}`);
}

function verifyColumn(key: string, segment: Segment, meta: ColumnMeta, { judge, findings }: SegmentChecks): void {
  const { name } = meta;
  const column = segment.column(name);
  const { codes } = column;
  const expectedCount = column.kind === "sparse" ? meta.entryCount : segment.rowCount;
  if (codes.length !== expectedCount) findings.add(key, `${expectedCount} codes of ${name}`, String(codes.length));
  if (column.kind === "sparse") verifySparseRows(key, name, column.rows, segment.rowCount, codes.length, findings);
  const blanks = judge.blanksOf(name);
  let [min, max, zeroCount] = [Infinity, 0, 0];
  for (let at = 0; at < codes.length; at += 1) {
    const code = codes[at]!;
    if (code === 0) zeroCount += 1;
    else if (code < min) min = code;
    if (code > max) max = code;
    if (code !== 0 && blanks.size > 0 && blanks.has(code)) findings.add(key, `values for the codes of ${name}`, judge.faultOf(name, code) ?? "");
  }
  if (max >= judge.sizeOf(name)) findings.add(key, `codes of ${name} that have a value`, judge.faultOf(name, max) ?? "");
  const hasZero = column.kind === "sparse" ? column.rows.length < segment.rowCount || zeroCount > 0 : zeroCount > 0;
  if (min !== meta.min || max !== meta.max || hasZero !== meta.hasZero)
    findings.add(key, `the codes ${min} to ${max} of ${name}, ${hasZero ? "not in every row" : "in every row"}`, `${meta.min} to ${meta.max}, ${meta.hasZero ? "not in every row" : "in every row"}`);
}

function verifySparseRows(key: string, name: string, rows: Uint32Array, rowCount: number, codeCount: number, findings: Findings): void {
  if (rows.length !== codeCount) findings.add(key, `${codeCount} row numbers of ${name}`, String(rows.length));
  for (let at = 0; at < rows.length; at += 1)
    if (rows[at]! >= rowCount || (at > 0 && rows[at]! <= rows[at - 1]!)) findings.add(key, `ascending row numbers of ${name} below ${rowCount}`, `${rows[at]} at position ${at}`);
}

/** Checks that each row has values for the metadata keys of its shape and for no others. */
function verifyShapes(key: string, segment: Segment, { judge, findings }: SegmentChecks): void {
  const shapes = denseCodes(segment.column(SHAPE_COLUMN));
  const { dictionaries } = judge;
  const keySets = new Map<number, ReadonlySet<number>>();
  let expectedCount = 0;
  for (let row = 0; row < shapes.length; row += 1) {
    const shape = shapes[row]!;
    if (!keySets.has(shape)) keySets.set(shape, new Set(judge.faultOf(SHAPE_COLUMN, shape) === null ? dictionaries.keysOfShape(shape) : []));
    expectedCount += keySets.get(shape)!.size;
  }
  let foundCount = 0;
  for (const name of segment.columnNames()) {
    if (!/^m\d+$/.test(name)) continue;
    const metadataKey = Number(name.slice(1));
    const column = segment.column(name);
    for (let at = 0; at < column.codes.length; at += 1) {
      if (column.codes[at] === 0) continue;
      const row = column.kind === "sparse" ? column.rows[at]! : at;
      if (keySets.get(shapes[row] ?? 0)?.has(metadataKey) === true) foundCount += 1;
      else findings.add(key, `only metadata of its shape in row ${row}`, `a value of metadata key ${metadataKey}`);
    }
  }
  if (foundCount !== expectedCount) findings.add(key, `${expectedCount} metadata values, as the shapes of the rows require`, String(foundCount));
}
