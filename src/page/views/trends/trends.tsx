import { takesField, trendQuestion } from "../../ask/questions/trends.js";
import { seesOthers } from "../../ask/rights.js";
import { sheetOfSeries } from "../../format/sheet.js";
import { fieldName } from "../../format/value.js";
import { Check, Choice, Choices, Entry } from "../../parts/field.js";
import { Empty } from "../../parts/notice.js";
import { usePage } from "../../parts/page-context.js";
import { Panel } from "../../parts/panel.js";
import { useReply } from "../../parts/reply.js";
import { FIELD_SUGGESTIONS, useEventNames } from "../../parts/suggestions.js";
import { Tabs } from "../../parts/tabs.js";
import { MEASURES, type ChoicesOf } from "../../state/choices.js";
import { choose } from "../../state/picture.js";
import { seriesName } from "./series.js";
import { TrendAnswerShown } from "./shown.js";

const MEASURE_NAMES: Readonly<Record<(typeof MEASURES)[number], string>> = {
  events: "Number of events",
  unique_users: "Distinct people",
  sessions: "Visits",
  unique_values: "Distinct values of",
  sum: "Sum of",
  avg: "Mean of",
  median: "Median of",
  min: "Least of",
  max: "Greatest of",
  p25: "25th percentile of",
  p75: "75th percentile of",
  p90: "90th percentile of",
  p95: "95th percentile of",
  p99: "99th percentile of",
  revenue: "Revenue",
};

/** Any measure over time, broken down by a field. */
export function Trends() {
  const { picture, scope, token, go } = usePage();
  const chosen = picture.choices.trends;
  const names = useEventNames();
  const reply = useReply(trendQuestion(scope, chosen));
  const change = (changed: Partial<ChoicesOf<"trends">>) => go(choose(picture, "trends", changed));
  const measures = MEASURES.filter((name) => name !== "revenue" || seesOthers(token, "revenue:read"));
  return (
    <>
      <section class="panel choices-panel" aria-label="What is counted">
        <Choices>
          <Entry label="Event" value={chosen.event} suggestions={names} placeholder="any event" onSettle={(event) => change({ event })} />
          <Choice
            label="Measure"
            value={chosen.measure}
            names={measures.map((name) => [name, MEASURE_NAMES[name]])}
            onChoose={(measure) => change({ measure })}
          />
          {takesField(chosen.measure) && (
            <Entry
              label="Field"
              value={chosen.field}
              suggestions={FIELD_SUGGESTIONS}
              placeholder="metadata key, value …"
              onSettle={(field) => change({ field })}
            />
          )}
          <Entry label="Broken down by" value={chosen.by} suggestions={FIELD_SUGGESTIONS} placeholder="nothing" onSettle={(by) => change({ by })} />
          <Check label="Cumulative" value={chosen.cumulative} onChoose={(cumulative) => change({ cumulative })} />
        </Choices>
      </section>
      <Panel
        title={titleOf(chosen)}
        class="trend-panel"
        reply={reply}
        lines={10}
        head={
          <Tabs
            label="Kind of plot"
            names={[
              ["line", "Lines"],
              ["bar", "Bars"],
            ]}
            chosen={chosen.chart}
            onChoose={(chart) => change({ chart })}
          />
        }
        sheet={({ buckets, series, rest }) =>
          sheetOfSeries(buckets, [
            ...series.map(({ values, data }) => ({ name: seriesName(values, chosen.by), data })),
            ...(rest === null ? [] : [{ name: "all others", data: rest.data }]),
          ])
        }
        unasked={<Empty title="Which field?">This measure is of the numbers, or the values, of a field: name one above.</Empty>}
      >
        {(answer) => <TrendAnswerShown answer={answer} chosen={chosen} />}
      </Panel>
    </>
  );
}

function titleOf({ event, measure, field, by, cumulative }: ChoicesOf<"trends">): string {
  const what = takesField(measure) ? `${MEASURE_NAMES[measure]} ${field}` : MEASURE_NAMES[measure];
  return [what, event === "" ? "" : `· ${event}`, by === "" ? "" : `by ${fieldName(by).toLowerCase()}`, cumulative ? "so far" : ""]
    .filter((part) => part !== "")
    .join(" ");
}
