import { pathsQuestion } from "../../ask/questions/product.js";
import { sheetOf } from "../../format/sheet.js";
import { Choice, Choices, Entry } from "../../parts/field.js";
import { usePage } from "../../parts/page-context.js";
import { Panel } from "../../parts/panel.js";
import { useReply } from "../../parts/reply.js";
import { FIELD_SUGGESTIONS, useFieldValues } from "../../parts/suggestions.js";
import type { ChoicesOf } from "../../state/choices.js";
import { choose } from "../../state/picture.js";
import { Flow } from "./flow.js";
import { Sequences } from "./sequences.js";

const DEPTHS = ["3", "4", "5", "6", "8"] as const;

/** Ways through visits. */
export function Paths() {
  const { picture, scope, go } = usePage();
  const chosen = picture.choices.paths;
  const reply = useReply(pathsQuestion(scope, chosen));
  const values = useFieldValues(chosen.node);
  const change = (changed: Partial<ChoicesOf<"paths">>) => go(choose(picture, "paths", changed));
  const depth = DEPTHS.find((name) => name === String(chosen.depth)) ?? "4";
  return (
    <>
      <section class="panel choices-panel" aria-label="Which ways">
        <Choices>
          <Entry label="Stations are" value={chosen.node} suggestions={FIELD_SUGGESTIONS} onSettle={(node) => change({ node, start: "", end: "" })} />
          <Entry label="Beginning at" value={chosen.start} suggestions={values} placeholder="anywhere" onSettle={(start) => change({ start })} />
          <Entry label="Ending at" value={chosen.end} suggestions={values} placeholder="anywhere" onSettle={(end) => change({ end })} />
          <Choice
            label="Stations shown"
            value={depth}
            names={DEPTHS.map((name) => [name, name])}
            onChoose={(name) => change({ depth: Number(name) })}
          />
        </Choices>
      </section>
      <Panel title="Ways" reply={reply} lines={12} sheet={({ edges }) => sheetOf(edges)}>
        {(answer) => <Flow answer={answer} field={chosen.node} onStart={(start) => change({ start })} />}
      </Panel>
      <Panel title="Most frequent ways" reply={reply} lines={12} sheet={({ sequences }) => sheetOf(sequences)}>
        {(answer) => <Sequences answer={answer} field={chosen.node} />}
      </Panel>
    </>
  );
}
