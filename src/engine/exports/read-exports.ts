import type { RecordBatch } from "../../formats/arrow/record-batches.js";
import type { EventRange, ReceivedAt, SelectedRows } from "../../formats/arrow/day-rows.js";
import { parameterError, shown } from "../../core/base/errors.js";
import { readExportOptions, readStopOptions, type ExportOptions, type StopOptions } from "../../core/base/options.js";
import type { ExportedEvent } from "../../core/schema/event.js";
import { readReceivedTimes } from "../../store/files/received-times.js";
import { checkPatterns } from "../../query/filter/regex.js";
import type { ExportArrowInput, ExportInput, RecordBatchesInput } from "../../query/plan/input.js";
import type { Pattern } from "../../query/plan/plan.js";
import { isFiltered, planArrowExport, planExport, planRecordBatches, refuseUnreached, type ExportPlan } from "../../query/plan/reports/exports.js";
import type { ScopeContext } from "../../query/plan/reports/events.js";
import { AUTHORIZE, type Authorization } from "../query/authorization.js";
import { exportRows } from "./events.js";
import type { ExportSnapshot, OpenExports } from "./open-exports.js";
import { AFTER, type PagedExports } from "./place.js";
import { rowYielder } from "./row-yielder.js";
import { selectRows } from "./select-rows.js";

type AuthorizedOptions = ExportOptions & Authorization;

/** The rows that an export reads; `selected` is null if project and dates alone select them. */
interface ExportRead extends ExportSnapshot {
  readonly selected: SelectedRows | null;
  /** Null without `afterSequence`: then sequences and times are not exported. */
  readonly received: ReceivedAt | null;
}

export async function* exportedEvents(
  exports: OpenExports,
  input: Parameters<PagedExports["exportEvents"]>[0] | null = {},
  options?: AuthorizedOptions | null,
): AsyncGenerator<ExportedEvent> {
  const plan = await planned(exports, (context) => planExport(input, context), options);
  const after = input?.[AFTER] ?? null;
  const { dictionaries } = exports.store;
  yield* read(exports, afterPlace(plan, after?.createdAtMs ?? 0), options, ({ snapshot, names, selected, received }) =>
    exportRows(snapshot.rows, dictionaries, plan.range, {
      project: plan.project, after, selected, received, signal: options?.signal, ...(names === null ? {} : { names }),
    }));
}

/** Earlier pages have read what is before the place. */
function afterPlace(plan: ExportPlan, createdAtMs: number): ExportPlan {
  const { fromMs, toMs } = plan.range;
  return { ...plan, range: { fromMs: Math.max(fromMs, createdAtMs), toMs } };
}

export async function* exportedArrow(
  exports: OpenExports,
  input: ExportArrowInput = {},
  format: "stream" | "file" = "stream",
  options?: AuthorizedOptions | null,
): AsyncGenerator<Uint8Array> {
  const { plan, jsonMark } = await planned(exports, (context) => planArrowExport(input, context), options);
  if (format !== "stream" && format !== "file") throw parameterError("invalid_parameter", "format", `expected stream or file, got ${shown(format)}`);
  // Lazy: most programs never write Arrow.
  const { eventsToIpc } = await import("../../formats/arrow/events-to-ipc.js");
  yield* read(exports, plan, options, (from, pause) =>
    eventsToIpc(from.snapshot.rows, exports.store.dictionaries, rangeOf(plan, from), format, { ...addedColumns(from), jsonMark }, pause));
}

export async function* exportedParquet(exports: OpenExports, input: ExportInput = {}, options?: AuthorizedOptions | null): AsyncGenerator<Uint8Array> {
  const plan = await planned(exports, (context) => planExport(input, context), options);
  const { eventsToParquet } = await import("../../formats/parquet/events-to-parquet.js");
  yield* read(exports, plan, options, (from, pause) =>
    eventsToParquet(from.snapshot.rows, exports.store.dictionaries, rangeOf(plan, from), addedColumns(from), pause));
}

export async function* exportedBatches(exports: OpenExports, input: RecordBatchesInput = {}, options?: StopOptions): AsyncGenerator<RecordBatch> {
  const { project, range, columns } = planRecordBatches(input);
  const { recordBatches } = await import("../../formats/arrow/record-batches.js");
  const yielder = rowYielder(readStopOptions(options).signal);
  yield* exports.read(() => taken(exports, false), yielder, ({ snapshot }, pause) =>
    recordBatches(snapshot.rows, exports.store.dictionaries, { ...range, project }, columns, pause));
}

function rangeOf({ project, range }: ExportPlan, { selected }: ExportRead): EventRange {
  return { ...range, project, selected };
}

function addedColumns({ names, received }: ExportRead) {
  return { identityIdOf: names?.of ?? null, received };
}

/** Plans an export as queries are planned: fully validated, then authorized. */
async function planned<P extends ExportPlan | { readonly plan: ExportPlan }>(
  { planning }: OpenExports,
  plan: (context: ScopeContext) => P,
  options: AuthorizedOptions | null | undefined,
): Promise<P> {
  readExportOptions(options);
  const patterns: Pattern[] = [];
  const made = plan({ ...planning(), patterns });
  await checkPatterns(patterns);
  options?.[AUTHORIZE]?.("plan" in made ? made.plan : made);
  return made;
}

async function* read<T>(
  exports: OpenExports,
  plan: ExportPlan,
  options: AuthorizedOptions | null | undefined,
  make: (from: ExportRead, pause: () => Promise<void>) => AsyncIterable<T>,
): AsyncGenerator<T> {
  const { signal, onSequence } = options ?? {};
  let selected: SelectedRows | null = null;
  const taking = async () => {
    refuseUnreached(plan, exports.store.newestSequence);
    if (!isFiltered(plan)) return await taken(exports, plan.identityIds);
    const found = await selectRows(plan, exports.contexts, { hold: () => exports.take(plan.identityIds), drop: ({ snapshot }) => snapshot.release() }, signal);
    selected = found.rows;
    return found.held;
  };
  yield* exports.read(taking, rowYielder(signal), async (from, pause) => {
    if (plan.afterSequence !== null || plan.upToSequence !== null) onSequence?.(Math.min(plan.upToSequence ?? Infinity, from.sequence));
    // After the snapshot, so that it has the times of all its events.
    const received = plan.afterSequence === null ? null : await readReceivedTimes(exports.store, plan.afterSequence);
    return make({ ...from, selected, received }, pause);
  });
}

function taken(exports: OpenExports, withNames: boolean): Promise<ExportSnapshot> {
  return exports.store.betweenCommits(() => exports.take(withNames));
}
