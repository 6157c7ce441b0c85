import type { ComponentChildren } from "preact";
import { Num } from "./figures.js";
import { useLook } from "./look.js";

/** A step of a funnel, as the library answers. */
export interface BarStep {
  readonly name: string;
  readonly entities: number;
  readonly conversionRate: number | null;
  readonly stepRate: number | null;
  readonly dropOffs: number;
  readonly fromPrevious: { readonly avgSec: number; readonly medianSec: number; readonly p90Sec: number } | null;
}

interface FunnelBarsProps {
  readonly steps: readonly BarStep[];
  /** What stands beside the name of a step. */
  readonly detailOf?: (at: number) => ComponentChildren;
}

/** The steps of a funnel as bars, with what is lost between them. */
export function FunnelBars({ steps, detailOf }: FunnelBarsProps) {
  return (
    <ol class="funnel">
      {steps.map((step, at) => (
        <StepBar key={at} step={step} at={at} detail={detailOf?.(at)} next={steps[at + 1]} />
      ))}
    </ol>
  );
}

interface StepBarProps {
  readonly step: BarStep;
  readonly at: number;
  readonly detail: ComponentChildren;
  readonly next: BarStep | undefined;
}

function StepBar({ step, at, detail, next }: StepBarProps) {
  const { number, percent, duration } = useLook().formats;
  const share = step.conversionRate ?? 0;
  return (
    <li class="funnel-step">
      <div class="funnel-head">
        <span class="funnel-name" title={step.name}>
          {at + 1}. {step.name}
        </span>
        {detail}
      </div>
      <div class="funnel-bar">{share > 0 && <span style={{ width: `${share * 100}%` }} />}</div>
      <div class="funnel-figures">
        <span>
          <strong>
            <Num shown={number(step.entities)} figure={`step ${at + 1}`} />
          </strong>{" "}
          <span class="faint">
            <Num shown={percent(step.conversionRate)} />
          </span>
        </span>
        {step.fromPrevious !== null && (
          <span class="faint" title={`mean ${duration(step.fromPrevious.avgSec).short}, 90 % within ${duration(step.fromPrevious.p90Sec).short}`}>
            median <Num shown={duration(step.fromPrevious.medianSec)} /> after step {at}
          </span>
        )}
        {next !== undefined && step.dropOffs > 0 && (
          <span class="funnel-loss">
            −<Num shown={number(step.dropOffs)} />{" "}
            <span>
              (<Num shown={percent(1 - (next.stepRate ?? 0))} />)
            </span>
          </span>
        )}
      </div>
    </li>
  );
}
