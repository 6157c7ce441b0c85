import { range } from "../format/date.js";
import { Choice, Entry } from "../parts/field.js";
import { FilterChips } from "../parts/filter-chips.js";
import { usePage } from "../parts/page-context.js";
import { isDay } from "../state/dates.js";
import { INTERVALS, PERIODS, rangeOf, type Period, type PeriodName } from "../state/period.js";
import { scopeOf } from "../state/scope.js";
import type { ViewEntry } from "../views/table.js";
import { ZONES } from "./zones.js";

const PERIOD_NAMES = [...(Object.entries(PERIODS) as [PeriodName, string][]), ["custom", "Custom…"] as const] as const;
const COMPARE_NAMES = [
  ["previous", "vs. period before"],
  ["year", "vs. a year ago"],
  ["none", "No comparison"],
] as const;
const UNIT_NAMES = {
  hour: "By hour",
  day: "By day",
  week: "By week",
  month: "By month",
  quarter: "By quarter",
  year: "By year",
} as const;

/** The time that is looked at, and the filters: what a view does not take is not offered. */
export function ToolBar({ view }: { readonly view: ViewEntry }) {
  const { picture, scope, extent, go } = usePage();
  const { period } = picture;
  const unitNow = scopeOf({ ...picture, interval: "auto" }, { nowMs: Date.now(), extent }).unit;
  const choose = (chosen: PeriodName | "custom") => {
    const days = rangeOf(period, scope.today);
    const custom = { from: days.from ?? extent?.from ?? scope.today, to: days.to ?? scope.today };
    go({ ...picture, period: chosen === "custom" ? custom : chosen });
  };
  const zones = ZONES.includes(scope.zone) ? ZONES : [scope.zone, ...ZONES];
  return (
    <div class="tool-bar">
      <div class="tool-title">
        <h1>{view.title}</h1>
        {view.takes.includes("period") && <span class="faint">{range(scope)}</span>}
      </div>
      <div class="tools">
        {view.takes.includes("period") && (
          <Choice label="Period" isBare value={typeof period === "string" ? period : "custom"} names={PERIOD_NAMES} onChoose={choose} />
        )}
        {view.takes.includes("period") && typeof period !== "string" && (
          <Days period={period} onChoose={(days) => go({ ...picture, period: days })} />
        )}
        {view.takes.includes("compare") && (
          <Choice label="Comparison" isBare value={picture.compare} names={COMPARE_NAMES} onChoose={(compare) => go({ ...picture, compare })} />
        )}
        {view.takes.includes("interval") && (
          <Choice
            label="Interval"
            isBare
            value={picture.interval}
            names={INTERVALS.map((name) => [name, name === "auto" ? `Auto: ${UNIT_NAMES[unitNow].toLowerCase()}` : UNIT_NAMES[name]])}
            onChoose={(interval) => go({ ...picture, interval })}
          />
        )}
        {view.takes.includes("period") && (
          <Choice
            label="Time zone"
            isBare
            value={scope.zone}
            names={zones.map((name) => [name, name.replaceAll("_", " ")])}
            onChoose={(zone) => go({ ...picture, zone })}
          />
        )}
      </div>
      {view.takes.includes("filters") && <FilterChips filters={picture.filters} onChange={(filters) => go({ ...picture, filters })} />}
    </div>
  );
}

interface DaysProps {
  readonly period: Exclude<Period, string>;
  readonly onChoose: (period: Period) => void;
}

function Days({ period: { from, to }, onChoose }: DaysProps) {
  const settle = (first: string, last: string) => {
    if (isDay(first) && isDay(last)) onChoose(first <= last ? { from: first, to: last } : { from: last, to: first });
  };
  return (
    <>
      <Entry label="From" isBare type="date" value={from} onSettle={(day) => settle(day, to)} />
      <Entry label="To" isBare type="date" value={to} onSettle={(day) => settle(from, day)} />
    </>
  );
}
