import { EventEntry } from "../../parts/event-entry.js";
import { Icon } from "../../parts/icon.js";
import { ANY_EVENT, type EventChoice } from "../../state/event-choice.js";

interface StepListProps {
  readonly steps: readonly EventChoice[];
  readonly onChange: (steps: readonly EventChoice[]) => void;
}

const STEP_COUNT = 20;

/** The steps of a funnel, to change, to move and to take away. */
export function StepList({ steps, onChange }: StepListProps) {
  const shown = steps.length === 0 ? [ANY_EVENT, ANY_EVENT] : steps;
  const replace = (at: number, step: EventChoice) => onChange(shown.map((each, index) => (index === at ? step : each)));
  const swap = (at: number) =>
    onChange(shown.map((each, index) => (index === at ? (shown[at + 1] ?? each) : index === at + 1 ? (shown[at] ?? each) : each)));
  return (
    <>
      <ol class="steps">
        {shown.map((step, at) => (
          <li key={at} class="step">
            <span class="step-number" aria-hidden="true">
              {at + 1}
            </span>
            <EventEntry label={`Step ${at + 1}`} isBare choice={step} onChange={(changed) => replace(at, changed)} />
            <span class="step-tools">
              <button type="button" class="icon-button" aria-label={`Move step ${at + 1} up`} disabled={at === 0} onClick={() => swap(at - 1)}>
                <Icon name="up" />
              </button>
              <button
                type="button"
                class="icon-button"
                aria-label={`Move step ${at + 1} down`}
                disabled={at === shown.length - 1}
                onClick={() => swap(at)}
              >
                <Icon name="down" />
              </button>
              <button
                type="button"
                class="icon-button"
                aria-label={`Remove step ${at + 1}`}
                onClick={() => onChange(shown.filter((_, index) => index !== at))}
              >
                <Icon name="close" />
              </button>
            </span>
          </li>
        ))}
      </ol>
      <div class="row">
        <button type="button" class="chip-add" disabled={shown.length >= STEP_COUNT} onClick={() => onChange([...shown, ANY_EVENT])}>
          <Icon name="plus" /> Step
        </button>
      </div>
    </>
  );
}
