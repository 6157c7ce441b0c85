import { CohortTable, hasOpenPeriod } from "../../charts/cohort-table.js";
import { BigNum, Num } from "../../charts/figures.js";
import { Legend, Plot, TimePlot } from "../../charts/plot.js";
import { Tabs, Grid } from "../parts/tables.js";
import { EventField } from "../parts/filter-chips.js";
import { Select, Settings } from "../parts/fields.js";
import { usePage, useQuery, useChoices } from "../parts/page-context.js";
import type { ChoicesOf } from "../state/view-state.js";
import type { RetentionAnswer, StickinessAnswer, LifecycleAnswer } from "../api/answers.js";
import { retentionQuery, stickinessQuery, lifecycleQuery } from "../api/queries.js";
import { sheetOf, sheetOfSeries, type Sheet } from "../format/sheet.js";
import { Panel } from "../parts/panel.js";
import { noun, plural, number, percent, bucketLong, bucketShort } from "../format/text.js";
import { NothingHere } from "./remarks.js";

type PeriodUnit = ChoicesOf<"retention">["unit"];

function Triangle({ answer, unit }: { readonly answer: RetentionAnswer; readonly unit: PeriodUnit }) {
  if (answer.cohorts.every(({ size }) => size === 0)) return <NothingHere />;
  return (
    <>
      <CohortTable answer={answer} unit={unit} />
      <p class="remark">
        {hasOpenPeriod(answer) && `Hatched: the ${unit} is not over yet. `}People counted without cookies are new every day, so they never come back.
      </p>
    </>
  );
}

/** Rows of the table; the plot and the file contain all. */
const STICKINESS_ROWS = 31;

function Stickiness() {
  const { scope } = usePage();
  const [chosen] = useChoices("retention");
  const result = useQuery(stickinessQuery(scope, chosen));
  return (
    <Panel title="Stickiness" result={result} lines={12} sheet={({ buckets }) => sheetOf(buckets[0]?.units ?? [])} head={<UnitTabs />}>
      {({ buckets: [bucket] }) =>
        bucket === undefined || bucket.entities === 0 ? <NothingHere /> : <StickinessDetails bucket={bucket} />
      }
    </Panel>
  );
}

function StickinessDetails({ bucket: { avg, entities, units } }: { readonly bucket: StickinessAnswer["buckets"][number] }) {
  const [{ unit }] = useChoices("retention");
  return (
    <>
      <p class="lead">
        <Num shown={number(entities)} /> {noun(entities, "person was", "people were")} active on{" "}
        <BigNum shown={number(avg)} figure="mean" />{" "}
        {noun(avg ?? 0, unit)} on average
      </p>
      <Plot
        label={`People by number of ${unit}s`}
        kind="bar"
        isOpenEnd={false}
        labels={units.map((row) => String(row.units))}
        titles={units.map((row) => `On ${plural(row.units, unit)}`)}
        lines={[{ name: "People", data: units.map((row) => row.entities) }]}
        format={number}
      />
      <p class="remark">People counted without cookies are active on one day only.</p>
      <Grid
        label="Stickiness"
        rows={units.slice(0, STICKINESS_ROWS)}
        keyOf={(row) => String(row.units)}
        columns={[
          { name: UNITS[unit], cell: (row) => row.units },
          { name: "People", isNumber: true, cell: (row) => <Num shown={number(row.entities)} /> },
          { name: "Or more", isNumber: true, cell: (row) => <Num shown={number(row.at_least)} /> },
          { name: "Of all", isNumber: true, cell: (row) => <Num shown={percent(row.at_least / entities)} /> },
        ]}
      />
    </>
  );
}

const SHOWN = { cohorts: "Cohorts", lifecycle: "Lifecycle", stickiness: "Stickiness" } as const;
const MEMBERS = { first_time: "at their first time", recurring: "at every time" } as const;
const RETURNED = { on: "in exactly that period", on_or_after: "in that period or later" } as const;

export function Retention() {
  const [chosen, change] = useChoices("retention");
  const report = (
    <div class="row">
      <Tabs label="Report" names={SHOWN} chosen={chosen.shown} onChoose={(shown) => change({ shown })} />
    </div>
  );
  return (
    <>
      <Settings label="Retention settings" before={report}>
        <EventField label="People who did" choice={chosen.cohort} onChange={(cohort) => change({ cohort })} />
        {chosen.shown === "cohorts" && (
          <>
            <Select label="Counting" value={chosen.members} names={MEMBERS} onChoose={(members) => change({ members })} />
            <EventField label="and returned to do" choice={chosen.back} onChange={(back) => change({ back })} />
            <Select label="Returned" value={chosen.returned} names={RETURNED} onChoose={(returned) => change({ returned })} />
          </>
        )}
      </Settings>
      {chosen.shown === "cohorts" ? <Cohorts /> : chosen.shown === "lifecycle" ? <Lifecycle /> : <Stickiness />}
    </>
  );
}

function Cohorts() {
  const { scope } = usePage();
  const [chosen] = useChoices("retention");
  const result = useQuery(retentionQuery(scope, chosen));
  return (
    <Panel title="Cohorts" result={result} lines={12} sheet={sheetOfTriangle} head={<UnitTabs />}>
      {(answer) => <Triangle answer={answer} unit={chosen.unit} />}
    </Panel>
  );
}

function sheetOfTriangle({ cohorts }: RetentionAnswer): Sheet {
  const count = Math.max(0, ...cohorts.map(({ periods }) => periods.length));
  const columns = ["cohort", "size", ...Array.from({ length: Math.max(0, count - 1) }, (_, at) => `+${at + 1}`)];
  return { columns, rows: cohorts.map(({ bucket, size, periods }) => [bucket.local, size, ...periods.slice(1).map(({ entities }) => entities)]) };
}

type ShownLifecycleBucket = LifecycleAnswer["buckets"][number];

const STATES = [
  ["new", "New"],
  ["returning", "Returning"],
  ["resurrecting", "Resurrecting"],
  ["dormant", "Dormant"],
] as const;
const UNIT_NAMES = { day: "Day", week: "Week", month: "Month" } as const;
/** Rows of the table, for the newest buckets; the plot and the file contain all. */
const LIFECYCLE_ROWS = 12;

function Lifecycle() {
  const { scope } = usePage();
  const [chosen] = useChoices("retention");
  const result = useQuery(lifecycleQuery(scope, chosen));
  const seriesOf = (buckets: readonly ShownLifecycleBucket[]) => STATES.map(([kind, name]) => ({ name, data: buckets.map((bucket) => bucket[kind]) }));
  return (
    <Panel
      title="Lifecycle"
      result={result}
      lines={12}
      sheet={({ buckets }) => sheetOfSeries(buckets, seriesOf(buckets))}
      head={<UnitTabs />}
    >
      {({ buckets }) => {
        const lines = seriesOf(buckets);
        if (lines.every(({ data }) => data.every((count) => count === 0))) return <NothingHere />;
        return (
          <>
            <Legend lines={lines} />
            <TimePlot label="People by lifecycle state" kind="line" buckets={buckets} unit={chosen.unit} lines={lines} format={number} />
            <p class="remark">
              New: active for the first time. Returning: also active in the {chosen.unit} before. Resurrecting: active again after a pause. Dormant:
              active in the {chosen.unit} before, but not in this one.{" "}
              {buckets.at(-1)?.partial === true && `The last ${chosen.unit} is not over yet: people who may still come back count as dormant. `}
              People counted without cookies are new every day.
            </p>
            <LifecycleRows buckets={buckets} unit={chosen.unit} />
          </>
        );
      }}
    </Panel>
  );
}

function LifecycleRows({ buckets, unit }: { readonly buckets: readonly ShownLifecycleBucket[]; readonly unit: PeriodUnit }) {
  return (
    <Grid
      label="People by lifecycle state"
      rows={[...buckets].reverse().slice(0, LIFECYCLE_ROWS)}
      keyOf={({ start, local }) => start ?? local ?? ""}
      columns={[
        { name: UNIT_NAMES[unit], cell: (bucket) => <span title={bucketLong(bucket, unit)}>{bucketShort(bucket)}</span> },
        ...STATES.map(([kind, name]) => ({
          name,
          isNumber: true,
          cell: (bucket: ShownLifecycleBucket) => <Num shown={number(bucket[kind])} />,
        })),
      ]}
    />
  );
}

const UNITS = { day: "Days", week: "Weeks", month: "Months" } as const;

function UnitTabs() {
  const [{ unit }, change] = useChoices("retention");
  return <Tabs label="Periods" names={UNITS} chosen={unit} onChoose={(chosen) => change({ unit: chosen })} />;
}
