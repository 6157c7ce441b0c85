import type { FunnelAnswer, FunnelStep } from "../../ask/answers.js";
import { noun, plural } from "../../format/locale.js";
import { duration, number, percent } from "../../format/number.js";
import { fieldName, fieldValue, sentence } from "../../format/value.js";
import { Remark } from "../../parts/notice.js";
import { Num } from "../../parts/number.js";
import { useFilterBy } from "../../parts/page-context.js";
import { Grid } from "../../parts/table.js";
import { filterByValue } from "../../state/filter.js";
import type { ChoicesOf } from "../../state/choices.js";
import { NothingHere } from "../nothing-here.js";

interface FunnelShownProps {
  readonly answer: FunnelAnswer;
  readonly chosen: ChoicesOf<"funnels">;
}

const COUNTED = { identity: ["person", "people"], session: ["visit", "visits"], account: ["company or person", "companies and people"] } as const;

/** Steps as bars beside each other, and what is known of each. */
export function FunnelShown({ answer: { steps, rows, pending }, chosen }: FunnelShownProps) {
  if (steps[0]?.entities === 0) return <NothingHere />;
  const [one, many] = COUNTED[chosen.level];
  const last = steps.at(-1);
  const detail = (at: number) => (chosen.order === "any" ? "" : (chosen.step[at]?.filters ?? []).map(sentence).join(", "));
  return (
    <>
      {last !== undefined && (
        <p class="lead">
          <span class="figure-number">
            <Num shown={percent(last.conversion_rate)} hook="conversion" />
          </span>{" "}
          of <Num shown={number(steps[0]?.entities ?? 0)} /> {noun(steps[0]?.entities ?? 0, one, many)} went all the way
        </p>
      )}
      <ol class="funnel">
        {steps.map((step, at) => (
          <StepBar key={at} step={step} at={at} detail={detail(at)} next={steps[at + 1]} />
        ))}
      </ol>
      {pending > 0 && (
        <Remark>
          <Num shown={number(pending)} /> {noun(pending, `${one} is`, `${many} are`)} still within {plural(chosen.window, "day")} of the first step,
          and may go on.
        </Remark>
      )}
      {rows !== null && rows.length > 0 && <Rows rows={rows} by={chosen.by} />}
    </>
  );
}

interface StepBarProps {
  readonly step: FunnelStep;
  readonly at: number;
  readonly detail: string;
  readonly next: FunnelStep | undefined;
}

function StepBar({ step, at, detail, next }: StepBarProps) {
  const share = step.conversion_rate ?? 0;
  return (
    <li class="funnel-step">
      <div class="funnel-head">
        <span class="funnel-name" title={step.name}>
          {at + 1}. {step.name}
        </span>
        {detail !== "" && (
          <span class="funnel-detail" title={detail}>
            {detail}
          </span>
        )}
      </div>
      <div class="funnel-bar">
        <span style={{ width: `${share * 100}%` }} />
      </div>
      <div class="funnel-figures">
        <span>
          <strong>
            <Num shown={number(step.entities)} hook={`step ${at + 1}`} />
          </strong>{" "}
          <span class="faint">
            <Num shown={percent(step.conversion_rate)} />
          </span>
        </span>
        {step.from_previous !== null && (
          <span class="faint" title={`mean ${duration(step.from_previous.avg_sec).short}, 90 % within ${duration(step.from_previous.p90_sec).short}`}>
            median <Num shown={duration(step.from_previous.median_sec)} /> after step {at}
          </span>
        )}
        {next !== undefined && step.drop_offs > 0 && (
          <span class="funnel-loss">
            −<Num shown={number(step.drop_offs)} />{" "}
            <span>
              (<Num shown={percent(1 - (next.step_rate ?? 0))} />)
            </span>
          </span>
        )}
      </div>
    </li>
  );
}

function ValueButton({ by, value }: { readonly by: string; readonly value: string }) {
  const filterBy = useFilterBy();
  return (
    <button type="button" class="cell-button" onClick={() => filterBy(filterByValue(by, value))}>
      {fieldValue(by, value)}
    </button>
  );
}

function Rows({ rows, by }: { readonly rows: NonNullable<FunnelAnswer["rows"]>; readonly by: string }) {
  const names = (rows[0]?.steps ?? []).map(({ name }) => name);
  return (
    <Grid
      label="Broken down"
      rows={rows}
      keyOf={({ values }) => JSON.stringify(values)}
      columns={[
        { name: fieldName(by), cell: ({ values: [value = ""] }) => <ValueButton by={by} value={value} /> },
        ...names.map((name, at) => ({
          name: `${at + 1}. ${name}`,
          isNumber: true,
          cell: ({ steps }: (typeof rows)[number]) => <Num shown={number(steps[at]?.entities ?? null)} />,
        })),
        { name: "All the way", isNumber: true, cell: ({ steps }) => <Num shown={percent(steps.at(-1)?.conversion_rate ?? null)} /> },
      ]}
    />
  );
}
