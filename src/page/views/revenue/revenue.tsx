import type { AttributionAnswer, CohortsAnswer } from "../../ask/answers.js";
import { revenueTrendQuery } from "../../ask/queries/overview.js";
import { attributionQuery, cohortsQuery } from "../../ask/queries/product.js";
import { month } from "../../format/date.js";
import { money, number } from "../../format/number.js";
import { sheetOf, sheetOfSeries } from "../../format/sheet.js";
import { Select, FieldRow } from "../../parts/field.js";
import { Empty } from "../../parts/notice.js";
import { Num } from "../../parts/inline.js";
import { usePage, useQuery } from "../../parts/page-context.js";
import { Panel } from "../../parts/panel.js";
import { RankedList } from "../../parts/ranked-list.js";
import { Grid } from "../../parts/table.js";
import type { ChoicesOf } from "../../state/choices.js";
import { choose } from "../../state/view-state.js";
import { RevenueOverTime } from "../overview/revenue.js";
import { UnconvertedRemark } from "../remarks.js";

const MODELS = [
  ["first_touch", "the first touch"],
  ["last_touch", "the last touch"],
] as const;
const DIMENSIONS = [
  ["source", "Source"],
  ["medium", "Channel"],
  ["campaign", "Campaign"],
] as const;
const LEVELS = [
  ["account", "companies, otherwise people"],
  ["identity", "people"],
] as const;

/** Revenue over time, by attribution, and by month of first visit. */
export function Revenue() {
  const { viewState, scope, go } = usePage();
  const chosen = viewState.choices.revenue;
  const change = (changed: Partial<ChoicesOf<"revenue">>) => go(choose(viewState, "revenue", changed));
  const trend = useQuery(revenueTrendQuery({ ...scope, filters: [] }));
  const attribution = useQuery(attributionQuery(scope, chosen));
  const cohorts = useQuery(cohortsQuery(scope, chosen));
  return (
    <>
      <Panel
        title="Revenue"
        class="revenue-panel"
        result={trend}
        lines={9}
        sheet={({ buckets, series }) =>
          sheetOfSeries(
            buckets,
            series.map(({ data }) => ({ name: "revenue", data })),
          )
        }
      >
        {(answer) =>
          answer.series[0]?.counted === 0 && answer.unconverted.length === 0 ? (
            <Empty title="No revenue in this period">Payments are events named Payment, Purchase or Order Completed, with an amount.</Empty>
          ) : (
            <RevenueOverTime answer={answer} />
          )
        }
      </Panel>
      <section class="panel choices-panel" aria-label="Attribution settings">
        <FieldRow>
          <Select label="By" value={chosen.dimension} names={DIMENSIONS} onChoose={(dimension) => change({ dimension })} />
          <Select label="Credit to" value={chosen.model} names={MODELS} onChoose={(model) => change({ model })} />
          <Select label="Customers" value={chosen.level} names={LEVELS} onChoose={(level) => change({ level })} />
        </FieldRow>
      </section>
      <div class="pair">
        <Panel title="Attribution" result={attribution} sheet={({ rows }) => sheetOf(rows)}>
          {(answer) => <Attribution answer={answer} head={DIMENSIONS.find(([name]) => name === chosen.dimension)?.[1] ?? "Source"} />}
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
