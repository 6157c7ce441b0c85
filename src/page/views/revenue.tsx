import type { AttributionAnswer, CohortsAnswer, TrendAnswer } from "../api/answers.js";
import { revenueTrendQuery, attributionQuery, cohortsQuery } from "../api/queries.js";
import { month, money, number } from "../format/text.js";
import { sheetOf, sheetOfSeries, type Sheet } from "../format/sheet.js";
import { Select, Settings } from "../parts/fields.js";
import { Num } from "../../charts/figures.js";
import { Empty } from "../../charts/notice.js";
import { Total } from "../parts/inline.js";
import { usePage, useQuery, useChoices } from "../parts/page-context.js";
import { Panel } from "../parts/panel.js";
import { RankedList, Grid } from "../parts/tables.js";
import { UnconvertedRemark, TimeRemarks } from "./remarks.js";
import { TimePlot } from "../../charts/plot.js";

const MODELS = { first_touch: "the first touch", last_touch: "the last touch" } as const;
const DIMENSIONS = { source: "Source", medium: "Channel", campaign: "Campaign" } as const;
const LEVELS = { account: "companies, otherwise people", identity: "people" } as const;

export function Revenue() {
  const { scope } = usePage();
  const [chosen, change] = useChoices("revenue");
  const trend = useQuery(revenueTrendQuery({ ...scope, filters: [] }));
  const attribution = useQuery(attributionQuery(scope, chosen));
  const cohorts = useQuery(cohortsQuery(scope, chosen));
  return (
    <>
      <Panel title="Revenue" class="revenue-panel" result={trend} lines={9} sheet={sheetOfRevenue}>
        {(answer) =>
          hasNoPayments(answer) ? (
            <Empty title="No revenue in this period">Payments are events named Payment, Purchase or Order Completed, with an amount.</Empty>
          ) : (
            <RevenueOverTime answer={answer} />
          )
        }
      </Panel>
      <Settings label="Attribution settings">
        <Select label="By" value={chosen.dimension} names={DIMENSIONS} onChoose={(dimension) => change({ dimension })} />
        <Select label="Credit to" value={chosen.model} names={MODELS} onChoose={(model) => change({ model })} />
        <Select label="Customers" value={chosen.level} names={LEVELS} onChoose={(level) => change({ level })} />
      </Settings>
      <div class="pair">
        <Panel title="Attribution" result={attribution} sheet={({ rows }) => sheetOf(rows)}>
          {(answer) => <Attribution answer={answer} head={DIMENSIONS[chosen.dimension]} />}
        </Panel>
        <Panel title="By month of first event" result={cohorts} sheet={(answer) => sheetOf(answer.cohorts)}>
          {(answer) => <Cohorts answer={answer} />}
        </Panel>
      </div>
    </>
  );
}

function Attribution({ answer: { rows, currency, unconverted }, head }: { readonly answer: AttributionAnswer; readonly head: string }) {
  if (rows.length === 0) return <p class="nothing">None in this period</p>;
  const shown = rows.map(({ dimension, revenue, orders }) => ({
    key: dimension,
    label: dimension,
    figure: Math.max(0, revenue),
    shown: money(revenue, currency),
    more: number(orders),
    filters: null,
  }));
  return (
    <>
      <RankedList label="Attribution" heads={[head, "Revenue", "Orders"]} rows={shown} />
      <UnconvertedRemark unconverted={unconverted} />
    </>
  );
}

function Cohorts({ answer: { cohorts, currency, unconverted } }: { readonly answer: CohortsAnswer }) {
  if (cohorts.length === 0) return <p class="nothing">No payments yet</p>;
  return (
    <>
      <Grid
        label="Cohorts"
        rows={cohorts}
        keyOf={({ cohort }) => cohort}
        columns={[
          { name: "Month", cell: ({ cohort }) => month(cohort) },
          { name: "People", isNumber: true, cell: ({ entities }) => <Num shown={number(entities)} /> },
          { name: "Orders", isNumber: true, cell: ({ orders }) => <Num shown={number(orders)} /> },
          { name: "Revenue", isNumber: true, cell: ({ revenue }) => <Num shown={money(revenue, currency)} /> },
          { name: "Average", isNumber: true, cell: ({ ltv }) => <Num shown={money(ltv, currency)} /> },
        ]}
      />
      <p class="remark">All time, regardless of the period: everyone whose first event was in that month (UTC), and what they have paid since.</p>
      <UnconvertedRemark unconverted={unconverted} />
    </>
  );
}

/** Revenue over time; hidden without payments. It comes last, so that the layout does not shift when it appears. */
export function OverviewRevenue() {
  const { scope } = usePage();
  const result = useQuery(revenueTrendQuery(scope));
  const { answer } = result;
  if (answer === null || hasNoPayments(answer)) return null;
  return (
    <Panel title="Revenue" result={result} sheet={sheetOfRevenue}>
      {(shown) => <RevenueOverTime answer={shown} />}
    </Panel>
  );
}

function hasNoPayments({ series, unconverted }: TrendAnswer): boolean {
  return series[0]?.counted === 0 && unconverted.length === 0;
}

function sheetOfRevenue({ buckets, series }: TrendAnswer): Sheet {
  return sheetOfSeries(buckets, series.map(({ data }) => ({ name: "revenue", data })));
}

function RevenueOverTime({ answer }: { readonly answer: TrendAnswer }) {
  const { scope } = usePage();
  const { buckets, series, previous, currency } = answer;
  const show = (value: number | null) => money(value, currency);
  return (
    <>
      <Total figure="revenue" total={series[0]?.total ?? null} before={previous?.series[0]?.total ?? null} show={show} />
      {buckets.length > 0 && (
        <TimePlot
          label="Revenue over time"
          kind="bar"
          buckets={buckets}
          earlier={previous}
          unit={scope.unit}
          lines={[{ name: "Revenue", data: series[0]?.data ?? [] }]}
          format={show}
        />
      )}
      <TimeRemarks buckets={buckets} areUniques={false} hasEarlier={previous !== null} />
      <UnconvertedRemark unconverted={answer.unconverted} />
    </>
  );
}
