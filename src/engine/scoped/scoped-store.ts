import { assert } from "../../core/base/errors.js";
import { dayStartMs } from "../../core/base/time.js";
import { Yielder } from "../../core/base/yield.js";
import { FIELDS, ID_COLUMN, PROJECT_COLUMN, SEQUENCE_COLUMN, SHAPE_COLUMN, TIME_COLUMN, metadataColumn } from "../../core/schema/fields.js";
import { selectedRows, select } from "../../query/filter/select.js";
import type { AnyPlan, QueryScope } from "../../query/plan/plan.js";
import type { RowReport, Selectors } from "../../query/reports/form/report.js";
import { codeAt, type CodeColumn } from "../../storage/column/column.js";
import { BudgetShare } from "../../storage/segment/memory-budget.js";
import { whilePinned, type Rows } from "../../storage/segment/rows.js";
import { BatchBuilder, NO_RECORD_ONLY_IDS } from "../../store/batch/batch.js";
import { Catalog, Identities, type Snapshot } from "../../store/live/catalog.js";
import type { Store, VisibleStore } from "../../store/live/store.js";
import { answerOf } from "../query/executor.js";
import type { ReportContexts } from "../query/report-contexts.js";
import { newStats, Slices } from "../query/scan.js";

/** Rows copied between two yields, and appended at once. */
const PIECE_ROW_COUNT = 2_048;

/** Rows of one segment or head that the scope lets through. */
interface Chosen {
  readonly rows: Rows;
  readonly kept: Uint32Array;
}

/** Where a row to copy is: its sequence in the whole store decides about its place. */
interface Found {
  readonly sequences: Uint32Array;
  /** Indexes of `parts`, and rows in them. */
  readonly parts: Uint32Array;
  readonly rows: Uint32Array;
}

/**
 * The events of a store that a scope lets through, and all its records: a store of its own, which follows the whole one when it is read. Its
 * sequences number these events alone, so that they tell nothing of others. Memory: about 700 bytes a row.
 */
export class ScopedStore implements VisibleStore {
  #catalog!: Catalog;
  #identities!: Identities;
  #budget!: BudgetShare;
  #projects!: Set<number>;
  /** Sequences in the whole store of the events here, ascending. */
  #taken: number[] = [];
  /** Of the whole store; 0: nothing was read yet. */
  #sequence = 0;
  #recordCount = 0;
  #membershipCount = 0;
  /** Of the whole store: others after an erasure. */
  #tables: object | null = null;
  #refreshing: Promise<void> | null = null;
  readonly #builder = new BatchBuilder();

  /**
   * @param contexts of the whole store
   * @param scopes a row passes each of them; all have one range
   * @param onReset called when events may have left: what was derived from them is invalid
   */
  constructor(
    readonly store: Store,
    readonly contexts: ReportContexts,
    readonly scopes: readonly [QueryScope, ...QueryScope[]],
    readonly onReset: () => void,
  ) {
    this.#clear();
  }

  get budget(): BudgetShare {
    return this.#budget;
  }

  get dictionaries() {
    return this.store.dictionaries;
  }

  get resolver() {
    return this.#identities.resolver;
  }

  get codeGeneration(): number {
    return this.store.codeGeneration;
  }

  get journaledSizes(): ReadonlyMap<string, number> {
    return this.store.journaledSizes;
  }

  get rowCount(): number {
    return this.#taken.length;
  }

  /** Names of the projects of its events. */
  get projects(): readonly string[] {
    const texts = this.dictionaries.named(PROJECT_COLUMN);
    return [...this.#projects].map((code) => texts.valueOf(code));
  }

  /** Whether any of its events has a metadata key. */
  hasKey(key: string): boolean {
    const code = this.dictionaries.knownKeyCode(key);
    return code >= 0 && this.#catalog.heads.some((head) => head.hasKey(code));
  }

  snapshot(): Snapshot {
    return this.#catalog.snapshot(this.rowCount);
  }

  async betweenCommits<T>(read: () => T): Promise<Awaited<T>> {
    await this.refresh();
    while (this.#refreshing !== null) await this.#refreshing;
    return await read();
  }

  /** Copies newer events. Cost: tests the rows of newer parts, and loads all columns of those with a match. @throws corruption */
  refresh(): Promise<void> {
    return (this.#refreshing ??= this.#refresh().finally(() => (this.#refreshing = null)));
  }

  /** Frees its memory. */
  release(): void {
    for (const head of this.#catalog.heads) head.release();
    this.#budget.end();
  }

  #clear(): void {
    this.#budget = new BudgetShare(this.store.budget);
    this.#catalog = new Catalog(this.#budget, this.dictionaries.named(PROJECT_COLUMN));
    this.#identities = new Identities(this.dictionaries, this.journaledSizes);
    this.#identities.resolver.knowOnlySeen();
    this.#projects = new Set();
    this.#taken = [];
    this.#recordCount = 0;
  }

  async #refresh(): Promise<void> {
    const { store, contexts } = this;
    if (store.newestSequence === this.#sequence && contexts.tables === this.#tables) return;
    const [plan] = this.scopes;
    const operands = this.scopes.flatMap(({ where }) => where.flat()).map(({ operand }) => operand);
    const slices = new Slices({ aborted: false });
    const execution = { plan: { ...plan, report: "scope" }, operands, report: this.#report(slices), PeopleSegments: null, store, contexts, slices, stats: newStats() };
    try {
      await answerOf(execution);
    } catch (error) {
      // Some of the rows may have been taken.
      this.startAgain();
      throw error;
    }
  }

  /** Forgets all events: the next read takes them anew. Queries under way notice and retry. */
  startAgain(): void {
    this.release();
    this.#clear();
    [this.#sequence, this.#tables] = [0, null];
    this.onReset();
  }

  /** Chooses rows of the whole store and takes them. */
  #report(slices: Slices): RowReport<AnyPlan, boolean> {
    return {
      prepare: (_, context) => {
        const { tables, sequence } = context;
        const { memberships } = tables;
        const { changeCount } = memberships;
        const isSame = tables === this.#tables && this.#membershipCount === changeCount;
        // A late record or link may move an event into the scope, or out of it, if that depends on its company.
        const after = isSame || (tables === this.#tables && !this.#dependsOnCompanies) ? this.#sequence : 0;
        const { records, journaledSizes } = this.store;
        const recordEnd = records.rowCount;
        const chosen: Chosen[] = [];
        const pass = {
          scopes: this.scopes,
          columns: [],
          begin: () => null,
          skips: ({ lastSequence }: Rows) => lastSequence <= after,
          scan: (_: unknown, rows: Rows, selectors: Selectors) => {
            const kept = passingAll(rows, selectors);
            if (kept.length > 0) chosen.push({ rows, kept });
          },
        };
        return {
          passes: [pass],
          finish: async () => {
            const yielder = new Yielder(undefined, () => slices.yieldSometimes());
            await this.#take(chosen, { after, isErased: this.#tables !== null && tables !== this.#tables }, yielder);
            const { resolver } = this.#identities;
            await this.#identities.addYielding(
              { records: records.slice(this.#recordCount, recordEnd), recordOnlyIds: NO_RECORD_ONLY_IDS },
              () => resolver.committed(journaledSizes),
              yielder,
            );
            this.#catalog.changed();
            [this.#recordCount, this.#sequence, this.#tables, this.#membershipCount] = [recordEnd, sequence, tables, changeCount];
            return true;
          },
        };
      },
    };
  }

  get #dependsOnCompanies(): boolean {
    return this.scopes.some(({ where }) => where.flat().some(({ operand }) => operand.kind === "companyId"));
  }

  async #take(chosen: readonly Chosen[], { after, isErased }: { readonly after: number; readonly isErased: boolean }, yielder: Yielder): Promise<void> {
    const found = await foundIn(chosen, after, yielder);
    if (after > 0) return await this.#copy(chosen, found, 0, yielder);
    const taken = this.#taken;
    const areKept = !isErased && taken.length <= found.sequences.length && taken.every((sequence, at) => found.sequences[at] === sequence);
    if (!areKept) this.startAgain();
    await this.#copy(chosen, found, this.rowCount, yielder);
  }

  /** Appends the found rows from `start` on, as a commit would. */
  async #copy(chosen: readonly Chosen[], { sequences, parts, rows }: Found, start: number, yielder: Yielder): Promise<void> {
    const used = new Set(parts.subarray(start));
    const loaded = chosen.filter((_, at) => used.has(at)).map((part) => part.rows);
    await whilePinned(loaded, async () => {
      for (const part of loaded) await part.load([TIME_COLUMN, ID_COLUMN, ...part.columnNames()]);
      const sources = chosen.map((part, at) => (used.has(at) ? new Source(part.rows) : null));
      const keysOf = (shape: number) => this.dictionaries.keysOfShape(shape);
      await yielder.inPieces(rows.length - start, (from, to) => {
        for (let first = from; first < to; first += PIECE_ROW_COUNT) {
          const end = Math.min(to, first + PIECE_ROW_COUNT);
          const builder = this.#builder;
          builder.clear();
          builder.reserve(end - first);
          for (let at = start + first; at < start + end; at += 1) {
            const source = sources[parts[at] ?? 0];
            assert(source !== undefined && source !== null, "the rows of a found part are loaded");
            source.push(rows[at] ?? 0, builder, keysOf);
          }
          const batch = builder.batch();
          this.#catalog.append(batch, this.rowCount + 1, keysOf);
          this.#identities.addEvents(batch);
          for (const code of batch.codes[PROJECT] ?? []) this.#projects.add(code);
          for (let at = start + first; at < start + end; at += 1) this.#taken.push(sequences[at] ?? 0);
        }
      }, FIELDS.length * 4);
    });
  }
}

const PROJECT = FIELDS.findIndex(({ column }) => column === PROJECT_COLUMN);

/** The columns of loaded rows, from which single rows are copied. */
class Source {
  readonly #startMs: number;
  readonly #fields: readonly CodeColumn[];
  readonly #shapes: CodeColumn;
  readonly #keys = new Map<number, CodeColumn>();

  constructor(readonly rows: Rows) {
    this.#startMs = dayStartMs(rows.day);
    this.#fields = FIELDS.map(({ column }) => rows.column(column));
    this.#shapes = rows.column(SHAPE_COLUMN);
  }

  push(row: number, builder: BatchBuilder, keysOf: (shape: number) => readonly number[]): void {
    const { rows } = this;
    const at = builder.rowCount;
    builder.rowCount += 1;
    builder.times[at] = this.#startMs + (rows.times()[row] ?? 0);
    builder.ids.set(rows.ids().subarray(row * 16, row * 16 + 16), at * 16);
    builder.codes.forEach((codes, field) => {
      const column = this.#fields[field];
      codes[at] = column === undefined ? 0 : codeAt(column, row);
    });
    const shape = codeAt(this.#shapes, row);
    builder.shapes[at] = shape;
    for (const key of keysOf(shape)) builder.pushValue(codeAt(this.#key(key), row));
  }

  #key(key: number): CodeColumn {
    const column = this.#keys.get(key) ?? this.rows.column(metadataColumn(key));
    this.#keys.set(key, column);
    return column;
  }
}

/** Rows that pass every selector, ascending. */
function passingAll(rows: Rows, [first, ...others]: Selectors): Uint32Array {
  let kept = selectedRows(select(rows, first)).slice();
  for (const selector of others) {
    const passing = new Set(selectedRows(select(rows, selector)));
    kept = kept.filter((row) => passing.has(row));
  }
  return kept;
}

/** The chosen rows with a greater sequence than `after`, by sequence. */
async function foundIn(chosen: readonly Chosen[], after: number, yielder: Yielder): Promise<Found> {
  const count = chosen.reduce((sum, { kept }) => sum + kept.length, 0);
  const found: { sequence: number; part: number; row: number }[] = [];
  for (const [part, { rows, kept }] of chosen.entries())
    await whilePinned([rows], async () => {
      await rows.load([SEQUENCE_COLUMN]);
      const sequences = rows.sequences();
      for (const row of kept) {
        const sequence = sequences[row] ?? 0;
        if (sequence > after) found.push({ sequence, part, row });
      }
      await yielder.yieldAfter(kept.length * Math.log2(count));
    });
  found.sort((a, b) => a.sequence - b.sequence);
  return {
    sequences: Uint32Array.from(found, ({ sequence }) => sequence),
    parts: Uint32Array.from(found, ({ part }) => part),
    rows: Uint32Array.from(found, ({ row }) => row),
  };
}
