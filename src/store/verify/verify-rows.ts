/* eslint-disable @typescript-eslint/no-non-null-assertion -- rows are bounded by their columns */
import { DaybookError } from "../../core/base/errors.js";
import { areSameNumbers } from "../../core/base/arrays.js";
import { dayOf, MS_PER_DAY } from "../../core/base/time.js";
import {
  FIELDS, PROJECT_COLUMN, SHAPE_COLUMN, fieldIndex, metadataColumn, ID_COLUMN, SEQUENCE_COLUMN, TIME_COLUMN,
} from "../../core/schema/fields.js";
import { denseCodes } from "../../storage/column/column.js";
import type { Dictionaries } from "../../storage/column/dictionaries.js";
import { paymentsSummary } from "../../storage/derived/stored.js";
import { orderWithin } from "../../storage/segment/event-order.js";
import { linksOf, areSameLinks } from "../../storage/segment/links.js";
import { LINKS_BLOCK, rowsBlock, type ContainerFooter, type ColumnMeta, type SegmentMeta } from "../../storage/segment/segment-file.js";
import { factsOf, type Segment, type SegmentFacts } from "../../storage/segment/segment.js";
import { summaryOf, actorTriplesOf, describeActors, ACTOR_BLOCKS, ACTOR_LISTS, type ActorList, type RowsSummary, type SummarySource, type ActorTriples } from "../../storage/segment/summaries.js";
import type { Batch } from "../batch/batch.js";
import type { Findings } from "../files/findings.js";
import type { Manifest, SegmentEntry } from "../files/manifest.js";
import { contentOf, journalKey, liveJournals, replayJournal } from "../journal/journal.js";
import type { Storage } from "../storage/storage.js";
import { type SequenceSet, type RecordChecker, CodeChecker } from "./verify-records.js";

interface JournaledEvents {
  readonly file: string;
  readonly ids: Uint8Array;
  readonly projects: Uint32Array;
}

interface JournalChecks {
  readonly dictionaries: Dictionaries;
  readonly records: RecordChecker;
  readonly sequences: SequenceSet;
  readonly findings: Findings;
}

export interface VerifiedJournals {
  readonly fileCount: number;
  readonly byteLength: number;
  readonly rowCount: number;
  readonly days: ReadonlySet<number>;
  /** Events, one entry per frame with rows: ids of 16 bytes and the codes of their projects. */
  readonly events: readonly JournaledEvents[];
  /** Bytes after the last whole frame: an unfinished write that was never acknowledged. */
  readonly tornByteLength: number;
}

/** Checks the live journals: chain, checksums, sequences without gaps, codes that have values. Loads one journal at a time. */
export async function verifyJournals(storage: Storage, manifest: Manifest, checks: JournalChecks): Promise<VerifiedJournals> {
  const { findings } = checks;
  const found = { fileCount: 0, byteLength: 0, rowCount: 0, tornByteLength: 0 };
  const events: JournaledEvents[] = [];
  const days = new Set<number>();
  let nextSequence = manifest.nextSequence;
  let ended = false;
  let isBroken = false;
  // Frames never add erased values, so one set of codes without values serves all of them.
  const judge = new CodeChecker(checks.dictionaries);
  for await (const journal of liveJournals(storage, manifest.firstJournal)) {
    const { number, file, bytes } = journal;
    found.fileCount += 1;
    found.byteLength += bytes.length;
    if (isBroken) continue;
    try {
      const replay = replayJournal(journal, nextSequence, (frame) => {
        const { deltas, batch, records } = contentOf(frame);
        for (const delta of deltas)
          if (!checks.dictionaries.apply(delta)) throw new DaybookError("corruption", `values of ${delta.name} from code ${delta.start} on contradict the earlier ones`);
        if (records !== null) checks.records.add(file, records, judge);
        if (batch === null) return;
        verifyRows(file, batch, frame.firstSequence, checks, judge);
        if (batch.rowCount > 0) events.push({ file, ids: batch.ids, projects: batch.codes[fieldIndex(PROJECT_COLUMN)] ?? new Uint32Array(0) });
        for (const time of batch.times) days.add(dayOf(time));
        found.rowCount += batch.rowCount;
      });
      if (replay.end.lastFrameAt > 0 || number === manifest.firstJournal) ({ ended } = replay);
      ({ nextSequence } = replay);
      found.tornByteLength += bytes.length - replay.end.byteLength;
    } catch (error) {
      isBroken = true;
      findings.add(file, "whole frames without gaps", error instanceof Error ? error.message : String(error));
    }
  }
  if (manifest.clean && manifest.epoch > 0 && !ended && !isBroken)
    findings.add(journalKey(manifest.firstJournal), "an end mark with nothing after it, as the store was closed cleanly", "a different end");
  return { ...found, days, events };
}

function verifyRows(file: string, batch: Batch, firstSequence: number, { findings, sequences, dictionaries }: JournalChecks, judge: CodeChecker): void {
  const { rowCount, times, codes, shapes, values } = batch;
  const check = (row: number, dictionary: string, code: number) => {
    const fault = judge.faultOf(dictionary, code);
    if (fault !== null) findings.add(file, `codes with a value in the row of sequence ${firstSequence + row}`, fault);
  };
  let valuesAt = 0;
  for (let row = 0; row < rowCount; row += 1) {
    if (!Number.isInteger(times[row])) findings.add(file, `a time in the row of sequence ${firstSequence + row}`, String(times[row]));
    if (!sequences.add(firstSequence + row)) findings.add(file, "a unique sequence in each row", `${firstSequence + row} again`);
    FIELDS.forEach(({ column }, field) => check(row, column, codes[field]?.[row] ?? 0));
    const shape = shapes[row] ?? 0;
    check(row, SHAPE_COLUMN, shape);
    if (judge.faultOf(SHAPE_COLUMN, shape) !== null) return;
    for (const key of dictionaries.keysOfShape(shape)) {
      check(row, metadataColumn(key), values[valuesAt] ?? 0);
      valuesAt += 1;
    }
  }
  if (valuesAt !== values.length) findings.add(file, `${valuesAt} metadata values from sequence ${firstSequence} on, as the shapes of the rows require`, String(values.length));
}

interface SegmentChecks {
  readonly judge: CodeChecker;
  readonly sequences: SequenceSet;
  /** All sequences of segments must be below it. */
  readonly nextSequence: number;
  readonly findings: Findings;
}

/** What the manifest repeats of a footer. */
const MANIFEST_FACTS = [
  ["day", "day"], ["row count", "rowCount"], ["minMs", "minMs"], ["maxMs", "maxMs"], ["firstSequence", "firstSequence"], ["lastSequence", "lastSequence"],
  ["number of columns", "columnCount"], ["links:", "hasLinks"],
] as const satisfies readonly (readonly [what: string, fact: keyof SegmentFacts])[];

/** Columns in which every event has a value. */
const DEMANDED = ["name", "project"];

/** Checks the rows of a segment, whose columns must all be loaded, against the invariants and its footer. */
export async function verifySegment(entry: SegmentEntry, segment: Segment, footer: ContainerFooter<SegmentMeta>, checks: SegmentChecks): Promise<void> {
  const { findings } = checks;
  const { meta } = footer;
  const expect = (what: string, expected: unknown, found: unknown) => {
    if (expected !== found) findings.add(entry.key, `${what} ${String(expected)}`, String(found));
  };
  const facts = factsOf(entry.key, entry.byteLength, footer);
  for (const [what, fact] of MANIFEST_FACTS) expect(what, entry[fact], facts[fact]);
  expect("rows with times:", meta.rowCount, segment.times().length);
  expect("rows with ids:", meta.rowCount, segment.ids().length / 16);
  expect("rows with sequences:", meta.rowCount, segment.sequences().length);
  verifyBlocks(entry.key, footer, segment, findings);
  verifyOrder(entry.key, segment, findings);
  expect("earliest ms of the day", segment.times()[0], meta.minMs);
  expect("latest ms of the day", segment.times().at(-1), meta.maxMs);
  verifySequences(entry.key, segment, checks);
  for (const column of meta.columns) verifyColumn(entry.key, segment, column, checks);
  for (const name of DEMANDED) if (segment.zone(name)?.hasZero !== false) findings.add(entry.key, `a ${name} in each row`, "rows without one");
  verifyShapes(entry.key, segment, checks);
  if (!areSameLinks(await linksOf(segment), segment.links)) findings.add(entry.key, "links that match the rows", "different links");
  const triples = await actorTriplesOf(segment.rowCount, (name) => segment.column(name));
  if (!areSameTriples(await segment.actorLists(ACTOR_LISTS), triples)) findings.add(entry.key, "a list of actors that matches the rows", "a different list");
  for (const [list, { count, max }] of Object.entries(describeActors(triples))) {
    expect(`numbers of the actor list ${list}:`, count, meta.actors[list as ActorList].count);
    expect(`greatest number of the actor list ${list}:`, max, meta.actors[list as ActorList].max);
  }
  await verifySummaries(entry.key, segment, checks);
}

function areSameTriples(one: ActorTriples, other: ActorTriples): boolean {
  return ACTOR_LISTS.every((list) => areSameNumbers(one[list], other[list]));
}

function verifyBlocks(key: string, { blocks, meta }: ContainerFooter<SegmentMeta>, { links }: Segment, findings: Findings): void {
  const wanted = meta.columns.flatMap(({ name, entryCount }) => (entryCount === undefined ? [name] : [rowsBlock(name), name]));
  const linkBlocks = links.times.length > 0 ? [LINKS_BLOCK] : [];
  const expected = [TIME_COLUMN, ID_COLUMN, SEQUENCE_COLUMN, ...wanted, ...actorBlocks(meta), ...summaryBlocks(meta), ...linkBlocks].sort().join(" ");
  const found = blocks.map(({ name }) => name).sort().join(" ");
  if (found !== expected) findings.add(key, `the blocks ${expected}`, found);
}

function actorBlocks({ actors }: SegmentMeta): string[] {
  return ACTOR_LISTS.filter((list) => actors[list].max > 0).map((list) => ACTOR_BLOCKS[list]);
}

function summaryBlocks({ summaries = [] }: SegmentMeta): string[] {
  return summaries.filter(({ rowCount }) => rowCount > 0).map(({ name }) => name);
}

async function verifySummaries(key: string, segment: Segment, { judge, findings }: SegmentChecks): Promise<void> {
  for (const { name, of } of segment.meta.summaries ?? []) {
    const rule = paymentsSummary(judge.dictionaries, of);
    const [made, stored] = [await summaryOf(sourceOf(segment), rule), await segment.summary(name, of)];
    if (made === null || stored === null || !areSameSummaries(made, stored, rule.columns)) findings.add(key, `a summary ${name} that matches the columns`, "a different one");
  }
}

function sourceOf(segment: Segment): SummarySource {
  const columns = new Map(segment.columnNames().map((name) => [name, segment.column(name)]));
  return { day: segment.day, times: segment.times(), sequences: segment.sequences(), columns };
}

function areSameSummaries(one: RowsSummary, other: RowsSummary, columns: readonly string[]): boolean {
  const codesOf = (summary: RowsSummary, name: string) => denseCodes(summary.column(name));
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
