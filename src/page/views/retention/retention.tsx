import { EventField } from "../../parts/ranked-list.js";
import { Select, FieldRow } from "../../parts/field.js";
import { usePage, useQuery } from "../../parts/page-context.js";
import { Tabs, Grid } from "../../parts/table.js";
import type { ChoicesOf } from "../../state/choices.js";
import { choose } from "../../state/view-state.js";
import type { RetentionAnswer, StickinessAnswer } from "../../ask/answers.js";
import { retentionQuery, stickinessQuery } from "../../ask/queries/product.js";
import { type Sheet, sheetOf } from "../../format/sheet.js";
import { Panel } from "../../parts/panel.js";
import { noun, plural } from "../../format/value.js";
import { number, percent } from "../../format/number.js";
import { Remark } from "../../parts/notice.js";
import { Num } from "../../parts/inline.js";
import { Plot } from "../../parts/plot.js";
import { bucketLong, bucketShort } from "../../format/date.js";
import { NothingHere } from "../remarks.js";
import { Lifecycle } from "./lifecycle.js";
import { UnitTabs } from "./unit-tabs.js";

type ShownRetentionPeriod = RetentionAnswer["total"][number];

interface TriangleProps {
  readonly answer: RetentionAnswer;
  readonly unit: "day" | "week" | "month";
}

/** Number of heat colors. */
const HEAT_LEVELS = 10;

/** One row per cohort, and one column per later period. */
function Triangle({ answer: { cohorts, total }, unit }: TriangleProps) {
  const shown = cohorts.filter(({ size }) => size > 0);
  if (shown.length === 0) return <NothingHere />;
  // Colors span the actual range, so that small shares differ visibly.
  const highest = Math.max(0.01, ...shown.flatMap(({ periods }) => periods.slice(1).map(({ rate }) => rate ?? 0)));
  const isOpen = shown.some(({ periods }) => periods.some(({ incomplete, entities }) => incomplete && entities !== null));
  return (
    <>
      <div class="scroll" tabIndex={0} role="group" aria-label="Cohorts">
        <table class="triangle">
          <thead>
            <tr>
              <th scope="col">Cohort</th>
              <th scope="col" class="right">
                People
              </th>
              {total.slice(1).map((_, at) => (
                <th key={at} scope="col">{`${unit} ${at + 1}`}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            <tr class="triangle-total">
              <th scope="row" title="Only cohorts whose period is over">
                All
              </th>
              <td class="right">
                <Num shown={number(total[0]?.of ?? 0)} figure="people" />
              </td>
              {total.slice(1).map((period, at) => (
                <Cell key={at} period={period} highest={highest} isTotal />
              ))}
            </tr>
            {shown.map(({ bucket, size, periods }) => (
              <tr key={bucket.local}>
                <th scope="row" title={bucketLong(bucket, unit)}>
                  {bucketShort(bucket)}
                </th>
                <td class="right">
                  <Num shown={number(size)} />
                </td>
                {periods.slice(1).map((period, at) => (
                  <Cell key={at} period={period} highest={highest} />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <Remark>{isOpen && `Hatched: the ${unit} is not over yet. `}People counted without cookies are new every day, so they never come back.</Remark>
    </>
  );
}

function Cell({
  period: { rate, entities, of, incomplete },
  highest,
  isTotal = false,
}: {
  readonly period: ShownRetentionPeriod;
  readonly highest: number;
  readonly isTotal?: boolean;
}) {
  if (rate === null || entities === null) return <td class="heat none" />;
  const heat = Math.min(HEAT_LEVELS - 1, Math.floor((rate / highest) * (HEAT_LEVELS - 0.01)));
  const isOpen = incomplete && !isTotal;
  const description = `${number(entities).exact} of ${plural(of, "person", "people", number(of).exact)}, ${percent(rate).exact}`;
  return (
    <td class={`heat h${heat}${isOpen ? " open" : ""}${entities === 0 ? " zero" : ""}`} title={isOpen ? `${description}, not over yet` : description}>
      <span class="num" aria-hidden="true">
        {percent(rate).short}
      </span>
      <span class="unseen">{isOpen ? `${description}, not over yet` : description}</span>
    </td>
  );
}

/** Rows of the table; the plot and the file contain all. */
const ROWS = 31;

/** On how many days, weeks or months of the range people were active. */
function Stickiness() {
  const { viewState, scope } = usePage();
  const chosen = viewState.choices.retention;
  const result = useQuery(stickinessQuery(scope, chosen));
  return (
    <Panel title="Stickiness" result={result} lines={12} sheet={({ buckets }) => sheetOf(buckets[0]?.units ?? [])} head={<UnitTabs />}>
      {({ buckets: [bucket] }) =>
        bucket === undefined || bucket.entities === 0 ? <NothingHere /> : <StickinessDetails bucket={bucket} unit={chosen.unit} />
      }
    </Panel>
  );
}

interface StickinessDetailsProps {
  readonly bucket: StickinessAnswer["buckets"][number];
  readonly unit: "day" | "week" | "month";
}

function StickinessDetails({ bucket: { avg, entities, units }, unit }: StickinessDetailsProps) {
  return (
    <>
      <p class="lead">
        <Num shown={number(entities)} /> {noun(entities, "person was", "people were")} active on{" "}
        <span class="figure-number">
          <Num shown={number(avg)} figure="mean" />
        </span>{" "}
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
      <Remark>People counted without cookies are active on one day only.</Remark>
      <Grid
        label="Stickiness"
        rows={units.slice(0, ROWS)}
        keyOf={(row) => String(row.units)}
        columns={[
          { name: `${unit.slice(0, 1).toUpperCase()}${unit.slice(1)}s`, cell: (row) => row.units },
          { name: "People", isNumber: true, cell: (row) => <Num shown={number(row.entities)} /> },
          { name: "Or more", isNumber: true, cell: (row) => <Num shown={number(row.at_least)} /> },
          { name: "Of all", isNumber: true, cell: (row) => <Num shown={percent(row.at_least / entities)} /> },
        ]}
      />
    </>
  );
}

const SHOWN = [
  ["cohorts", "Cohorts"],
  ["lifecycle", "Lifecycle"],
  ["stickiness", "Stickiness"],
] as const;
const MEMBERS = [
  ["first_time", "at their first time"],
  ["recurring", "at every time"],
] as const;
const RETURNED = [
  ["on", "in exactly that period"],
  ["on_or_after", "in that period or later"],
] as const;

/** Retention by cohort, lifecycle and stickiness. */
export function Retention() {
  const { viewState, go } = usePage();
  const chosen = viewState.choices.retention;
  const change = (changed: Partial<ChoicesOf<"retention">>) => go(choose(viewState, "retention", changed));
  return (
    <>
      <section class="panel choices-panel" aria-label="Retention settings">
        <div class="row">
          <Tabs label="Report" names={SHOWN} chosen={chosen.shown} onChoose={(shown) => change({ shown })} />
        </div>
        <FieldRow>
          <EventField label="People who did" choice={chosen.cohort} onChange={(cohort) => change({ cohort })} />
          {chosen.shown === "cohorts" && (
            <>
              <Select label="Counted" value={chosen.members} names={MEMBERS} onChoose={(members) => change({ members })} />
              <EventField label="and came back to do" choice={chosen.back} onChange={(back) => change({ back })} />
              <Select label="Came back" value={chosen.returned} names={RETURNED} onChoose={(returned) => change({ returned })} />
            </>
          )}
        </FieldRow>
      </section>
      {chosen.shown === "cohorts" ? <Cohorts /> : chosen.shown === "lifecycle" ? <Lifecycle /> : <Stickiness />}
    </>
  );
}

function Cohorts() {
  const { viewState, scope } = usePage();
  const chosen = viewState.choices.retention;
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
