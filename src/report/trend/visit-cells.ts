import { tooManyBuckets } from "../../answer/insights/buckets.js";
import { LIMITS } from "../../base/limits.js";
import { Scratch } from "../../base/scratch.js";
import { axisOf } from "../../calendar/axis.js";
import type { TrendPlan } from "../../plan/insights/plan.js";
import type { Range } from "../../plan/plan.js";
import type { SessionView } from "../../table/sessions/session-view.js";
import type { RowContext } from "../form/report.js";
import { cellsOf } from "../insights/cells.js";
import type { RowKeys } from "../insights/row-keys.js";
import type { RowCut } from "../insights/row-units.js";
import { keysOfVisits } from "../visits/keys-of-visits.js";
import type { Visits } from "../../answer/visits/visits.js";
import { visitsOf, type SessionMarks } from "../visits/visits.js";
import type { CellsByUnit } from "../insights/cells-by-unit.js";

/** Sessions by the unit in which they start, and by the values of their first events. @param marks null: all of the range */
export async function visitCells(
  plan: TrendPlan,
  range: Range,
  marks: SessionMarks | null,
  view: SessionView,
  cut: RowCut,
  keys: RowKeys,
  context: RowContext,
  pause: () => Promise<void>,
): Promise<CellsByUnit> {
  return await Scratch.of(async (scratch) => {
    const visits = await visitsOf(plan, range, marks, view, context, scratch, pause);
    const [keyOfVisit] = plan.breakdown === null ? [] : await keysOfVisits(visits, [keys], scratch, pause);
    const cells: CellsByUnit = new Map();
    let from = 0;
    for (const [unitMs, count] of countsByUnit(visits, cut)) {
      const own = keyOfVisit?.subarray(from, from + count);
      cells.set(unitMs, [own === undefined ? { pairs: new Float64Array(1), counts: Uint32Array.of(count) } : cellsOf(own, new Uint32Array(count))]);
      from += count;
    }
    return cells;
  });
}

/** How many visits, which are in order, start in each unit that has some. @throws invalid_parameter (too many units from the first to the last) */
function countsByUnit(visits: Visits, cut: RowCut): [unitMs: number, count: number][] {
  const { extent } = visits;
  if (extent === null) return [];
  if (cut === null) return [[0, visits.count]];
  const axis = axisOf(cut, extent.firstMs, extent.lastMs + 1, LIMITS.bucketCount);
  // All of them are on the axis of the answer.
  if (axis === null) throw tooManyBuckets(cut.unit);
  const { bounds } = axis;
  const counts = [...bounds].slice(0, -1).map((unitMs, at): [number, number] => [unitMs, visits.within({ fromMs: unitMs, toMs: bounds[at + 1] ?? unitMs }).count]);
  return counts.filter(([, count]) => count > 0);
}
