import { funnelQuestion } from "../../ask/questions/product.js";
import { sheetOf } from "../../format/sheet.js";
import { Choice, Choices, Entry } from "../../parts/field.js";
import { Empty } from "../../parts/notice.js";
import { usePage } from "../../parts/page-context.js";
import { Panel } from "../../parts/panel.js";
import { useReply } from "../../parts/reply.js";
import { FIELD_SUGGESTIONS, useEventNames } from "../../parts/suggestions.js";
import type { ChoicesOf } from "../../state/choices.js";
import { choose } from "../../state/picture.js";
import { FunnelShown } from "./shown.js";
import { StepList } from "./step-list.js";

const ORDERS = [
  ["sequential", "in this order"],
  ["strict", "one right after the other"],
  ["any", "in any order"],
] as const;
const LEVELS = [
  ["identity", "people"],
  ["session", "visits"],
  ["account", "companies"],
] as const;

/** How many go how far. */
export function Funnels() {
  const { picture, scope, go } = usePage();
  const chosen = picture.choices.funnels;
  const reply = useReply(funnelQuestion(scope, chosen));
  const names = useEventNames();
  const change = (changed: Partial<ChoicesOf<"funnels">>) => go(choose(picture, "funnels", changed));
  const settleWindow = (text: string) => {
    const days = Number(text);
    if (Number.isInteger(days) && days >= 1 && days <= 366) change({ window: days });
  };
  const first = names.slice(0, 3).map(([event]) => ({ event, filters: [] }));
  return (
    <>
      <section class="panel choices-panel" aria-label="Steps">
        <StepList steps={chosen.step} onChange={(step) => change({ step })} />
        <Choices>
          <Choice label="Counted are" value={chosen.level} names={LEVELS} onChoose={(level) => change({ level })} />
          <Choice label="Steps are taken" value={chosen.order} names={ORDERS} onChoose={(order) => change({ order })} />
          <Entry label="Within days" type="number" value={String(chosen.window)} onSettle={settleWindow} />
          <Entry label="Broken down by" value={chosen.by} suggestions={FIELD_SUGGESTIONS} placeholder="nothing" onSettle={(by) => change({ by })} />
        </Choices>
      </section>
      <Panel
        title="Funnel"
        class="funnel-panel"
        reply={reply}
        lines={10}
        sheet={({ steps, rows }) => sheetOf([...steps, ...(rows ?? []).flatMap((row) => row.steps.map((step) => ({ values: row.values, ...step })))])}
        unasked={
          <Empty title="A funnel has two steps or more">
            <p>Each is an event, or what passes a filter.</p>
            {first.length >= 2 && (
              <p>
                <button type="button" class="button" onClick={() => change({ step: first })}>
                  Begin with {first.map(({ event }) => event).join(" → ")}
                </button>
              </p>
            )}
          </Empty>
        }
      >
        {(answer) => <FunnelShown answer={answer} chosen={chosen} />}
      </Panel>
    </>
  );
}
