import type { WebAnswer, TrendAnswer } from "../../ask/answers.js";
import { earlierQuery, webQuery } from "../../ask/queries/overview.js";
import { canRead } from "../../ask/rights.js";
import { number, change, duration, percent, type FormattedNumber } from "../../format/number.js";
import { sheetOf } from "../../format/sheet.js";
import { Tabs } from "../../parts/table.js";
import { Num, ChangeMark } from "../../parts/inline.js";
import { usePage, useQuery } from "../../parts/page-context.js";
import { Panel } from "../../parts/panel.js";
import { choose } from "../../state/view-state.js";
import { bucketLong, bucketShort } from "../../format/date.js";
import { Plot } from "../../parts/plot.js";
import { NothingHere, TimeRemarks } from "../remarks.js";
import { OverviewRevenue } from "./revenue.js";
import { Lists } from "./lists.js";

type OverviewFigures = WebAnswer["figures"];

interface FigureKind {
  readonly name: keyof OverviewFigures;
  readonly title: string;
  readonly description: string;
  readonly show: (value: number | null) => FormattedNumber;
  /** Whether an increase is bad news. */
  readonly isCost?: boolean;
}

const KINDS: readonly FigureKind[] = [
  { name: "visitors", title: "Visitors", description: "Distinct people", show: number },
  { name: "visits", title: "Visits", description: "Visits that began in this period", show: number },
  { name: "views", title: "Views", description: "Page views", show: number },
  { name: "views_per_visit", title: "Views per visit", description: "Average number of page views per visit", show: number },
  { name: "bounce_rate", title: "Bounce rate", description: "Share of visits with a single event", show: percent, isCost: true },
  { name: "duration_avg_sec", title: "Visit duration", description: "Average, including visits with a duration of zero", show: duration },
];

function FigureStrip({ figures, previous }: { readonly figures: OverviewFigures; readonly previous: OverviewFigures | null }) {
  return (
    <dl class="figures">
      {KINDS.map(({ name, title, description, show, isCost }) => (
        <div class="figure" key={name}>
          <dt title={description}>{title}</dt>
          <dd>
            <span class="figure-number">
              <Num shown={show(figures[name])} figure={name} />
            </span>
            <ChangeMark change={previous === null ? null : change(figures[name], previous[name])} isCost={isCost === true} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

interface OverviewPlotProps {
  readonly answer: WebAnswer;
  readonly figure: "visitors" | "visits" | "views";
  readonly earlier: TrendAnswer["previous"];
}

const NAMES = { visitors: "Visitors", visits: "Visits", views: "Views" } as const;

function OverviewPlot({ answer, figure, earlier }: OverviewPlotProps) {
  const { scope } = usePage();
  const buckets = answer.chart ?? [];
  const before = earlier?.series[0];
  if (buckets.length === 0) return <div class="plot" />;
  return (
    <>
      <Plot
        label={`${NAMES[figure]} over time`}
        kind="line"
        isOpenEnd={buckets.at(-1)?.partial === true}
        labels={buckets.map(bucketShort)}
        titles={buckets.map((bucket) => bucketLong(bucket, scope.unit))}
        earlierTitles={(earlier?.buckets ?? []).map((bucket) => bucketLong(bucket, scope.unit))}
        lines={[
          ...(before === undefined ? [] : [{ name: "Previous", data: before.data, isEarlier: true }]),
          { name: NAMES[figure], data: buckets.map((bucket) => bucket[figure]) },
        ]}
        format={number}
      />
      <TimeRemarks buckets={buckets} areUniques={figure === "visitors"} hasEarlier={scope.compare !== null && figure !== "views"} />
    </>
  );
}

const PLOTTED = [
  ["visitors", "Visitors"],
  ["visits", "Visits"],
  ["views", "Views"],
] as const;

/** Figures of a site, also over time, and lists about its visits. */
export function Overview() {
  const { viewState, scope, token, go } = usePage();
  const web = useQuery(webQuery(scope));
  const { figure } = viewState.choices.overview;
  const earlier = useQuery(earlierQuery(scope, figure));
  const figures = (
    <Tabs label="Plotted figure" names={PLOTTED} chosen={figure} onChoose={(chosen) => go(choose(viewState, "overview", { figure: chosen }))} />
  );
  return (
    <>
      <Panel
        title="Visitors and visits"
        class="figures-panel"
        result={web}
        also={earlier.query}
        sheet={sheetOfWeb}
        lines={10}
        head={
          <>
            <Online answer={web.answer} />
            {figures}
          </>
        }
      >
        {(answer) =>
          isNothing(answer) ? (
            <NothingHere />
          ) : (
            <>
              <FigureStrip figures={answer.figures} previous={answer.previous} />
              <OverviewPlot answer={answer} figure={figure} earlier={earlier.isOld ? null : (earlier.answer?.previous ?? null)} />
            </>
          )
        }
      </Panel>
      {(web.answer === null || !isNothing(web.answer)) && <Lists web={web} />}
      {canRead(token, "revenue:read") && <OverviewRevenue />}
    </>
  );
}

function Online({ answer }: { readonly answer: WebAnswer | null }) {
  if (answer === null) return null;
  const { now_online: count } = answer;
  return (
    <span class={count > 0 ? "online some" : "online"} title="People with an event in the last five minutes, regardless of filters and dates">
      <Num shown={number(count)} figure="now_online" /> online now
    </span>
  );
}

function isNothing({ figures }: WebAnswer): boolean {
  return figures.visitors === 0 && figures.visits === 0 && figures.views === 0;
}

function sheetOfWeb({ chart, figures }: WebAnswer) {
  return sheetOf((chart ?? []).length > 0 ? (chart ?? []) : [figures]);
}
