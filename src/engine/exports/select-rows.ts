import type { SelectedRows } from "../../formats/arrow/day-rows.js";
import { SEQUENCE_COLUMN } from "../../core/schema/fields.js";
import type { ExportPlan } from "../../query/plan/reports/exports.js";
import { operandsOf } from "../../query/plan/scopes-of.js";
import { select, selectedRows } from "../../query/filter/select.js";
import type { Pass, RowReport } from "../../query/reports/form/report.js";
import { emptyBitmap, type Bitmap } from "../../storage/column/bitmap.js";
import type { Rows } from "../../storage/segment/rows.js";
import { answerOf } from "../query/executor.js";
import type { ReportContexts } from "../query/report-contexts.js";
import { newStats, Slices } from "../query/scan.js";

/** What a scan found, and what was taken in the turn of its snapshot. */
interface Selected<T> {
  readonly rows: SelectedRows;
  readonly held: T;
}

/**
 * Selects rows as a query with the same filters does. Cost: a scan of the columns that filters read, and of the sequences of segments and heads that
 * the plan's sequences cut; those without rows between them are skipped. Memory: one bit a row of segments and heads with selected rows.
 * @param hold called in the turn of each snapshot that the scan tries @param drop called with what was held for one that it gave up
 * @throws aborted, corruption, invalid_regex
 */
export async function selectRows<T>(
  plan: ExportPlan,
  contexts: ReportContexts,
  { hold, drop }: { readonly hold: () => T; readonly drop: (held: T) => void },
  signal: Pick<AbortSignal, "aborted"> = { aborted: false },
): Promise<Selected<T>> {
  const pass = passOf(plan);
  let current: { readonly held: T } | null = null;
  const give = () => {
    if (current !== null) drop(current.held);
    current = null;
  };
  const report: RowReport<ExportPlan, Selected<T>> = {
    prepare: () => {
      give();
      const own = { held: hold() };
      current = own;
      return { passes: [pass], finish: (stateOf) => ({ rows: stateOf(pass), held: own.held }) };
    },
  };
  const operands = operandsOf(plan).map(({ operand }) => operand);
  const namesSegments = operands.some(({ kind }) => kind === "segment");
  const PeopleSegments = namesSegments ? (await import("../../query/reports/lazy-reports.js")).PeopleSegments : null;
  try {
    return await answerOf({ plan, operands, report, PeopleSegments, store: contexts.store, contexts, slices: new Slices(signal), stats: newStats() });
  } catch (error) {
    give();
    throw error;
  }
}

function passOf(plan: ExportPlan): Pass<Map<Rows, Bitmap>> {
  const after = plan.afterSequence ?? 0;
  const upTo = plan.upToSequence ?? Infinity;
  const isCut = (rows: Rows) => rows.firstSequence <= after || rows.lastSequence > upTo;
  return {
    scopes: [plan],
    columns: plan.afterSequence === null && plan.upToSequence === null ? [] : [SEQUENCE_COLUMN],
    begin: () => new Map(),
    skips: (rows) => rows.lastSequence <= after || rows.firstSequence > upTo,
    scan: (state, rows, [selector]) => {
      const bits = emptyBitmap(rows.rowCount);
      const sequences = isCut(rows) ? rows.sequences() : null;
      let isAny = false;
      for (const row of selectedRows(select(rows, selector))) {
        const sequence = sequences?.[row];
        if (sequence !== undefined && (sequence <= after || sequence > upTo)) continue;
        bits[row >>> 5] = (bits[row >>> 5] ?? 0) | (1 << (row & 31));
        isAny = true;
      }
      if (isAny) state.set(rows, bits);
    },
  };
}
