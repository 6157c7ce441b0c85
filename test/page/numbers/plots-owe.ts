import type { LifecycleAnswer, StickinessAnswer, TrendAnswer, WebAnswer } from "../../../src/page/api/answers.js";
import type { ViewState } from "../../../src/page/state/view-state.js";
import { isUnpaid } from "./answers-owe.js";
import { cash, count, type Owed } from "./owed.js";

/** What the plot of a panel owes at each of its places: that of now, then that of the time before. */
export function owedPlot(title: string, answer: unknown, also: unknown, { view, choices }: ViewState): Owed[][] {
  const { overview, retention, trends } = choices;
  if (view === "overview" && title === "Visitors and visits") return figurePlot(answer as WebAnswer, also as TrendAnswer | null, overview.figure);
  if (title === "Revenue") return isUnpaid(answer as TrendAnswer) ? [] : trendPlot(answer as TrendAnswer, true);
  const isCounted = () => (answer as TrendAnswer).series.some(({ counted }) => counted > 0);
  if (view === "trends" && isCounted()) return trendPlot(answer as TrendAnswer, trends.by === "");
  if (view === "retention" && retention.shown === "lifecycle") return lifecyclePlot(answer as LifecycleAnswer);
  if (view === "retention" && retention.shown === "stickiness")
    return (answer as StickinessAnswer).buckets.flatMap(({ units }) => units.map(({ entities }) => [count("", entities)]));
  return [];
}

function lifecyclePlot({ buckets }: LifecycleAnswer): Owed[][] {
  const places = buckets.map((each) => [each.new, each.returning, each.resurrecting, each.dormant]);
  return places.flat().every((each) => each === 0) ? [] : places.map((each) => each.map((value) => count("", value)));
}

function figurePlot({ chart, figures }: WebAnswer, also: TrendAnswer | null, figure: "visitors" | "visits" | "views"): Owed[][] {
  if (figures.visitors === 0 && figures.visits === 0 && figures.views === 0) return [];
  const before = also?.previous?.series[0]?.data;
  return (chart ?? []).map((bucket, at) => [count("", bucket[figure]), ...(before === undefined ? [] : [count("", before[at] ?? null)])]);
}

function trendPlot({ buckets, series, rest, previous, currency }: TrendAnswer, isWhole: boolean): Owed[][] {
  const now = [...series, ...(rest === null || isWhole ? [] : [rest])];
  const before = isWhole ? previous?.series[0]?.data : undefined;
  return buckets.map((_, at) => [
    ...now.map(({ data }) => cash("", data[at] ?? null, currency)), ...(before === undefined ? [] : [cash("", before[at] ?? null, currency)]),
  ]);
}
