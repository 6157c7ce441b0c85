import type { RetentionAnswer } from "../../ask/answers.js";
import { retentionQuestion } from "../../ask/questions/product.js";
import type { Sheet } from "../../format/sheet.js";
import { EventEntry } from "../../parts/event-entry.js";
import { Choice, Choices } from "../../parts/field.js";
import { usePage } from "../../parts/page-context.js";
import { Panel } from "../../parts/panel.js";
import { useReply } from "../../parts/reply.js";
import { Tabs } from "../../parts/tabs.js";
import type { ChoicesOf } from "../../state/choices.js";
import { choose } from "../../state/picture.js";
import { Triangle } from "./triangle.js";

const MEMBERS = [
  ["first_time", "for the first time ever"],
  ["recurring", "whenever they do it"],
] as const;
const RETURNED = [
  ["on", "in that very period"],
  ["on_or_after", "in it or later"],
] as const;
const UNITS = [
  ["day", "Days"],
  ["week", "Weeks"],
  ["month", "Months"],
] as const;

/** Who comes back. */
export function Retention() {
  const { picture, scope, go } = usePage();
  const chosen = picture.choices.retention;
  const reply = useReply(retentionQuestion(scope, chosen));
  const change = (changed: Partial<ChoicesOf<"retention">>) => go(choose(picture, "retention", changed));
  return (
    <>
      <section class="panel choices-panel" aria-label="Who and when">
        <Choices>
          <EventEntry label="People who did" choice={chosen.cohort} onChange={(cohort) => change({ cohort })} />
          <Choice label="Counted" value={chosen.members} names={MEMBERS} onChoose={(members) => change({ members })} />
          <EventEntry label="and came back to" choice={chosen.back} onChange={(back) => change({ back })} />
          <Choice label="Came back" value={chosen.returned} names={RETURNED} onChoose={(returned) => change({ returned })} />
        </Choices>
      </section>
      <Panel
        title="Who came back"
       
        reply={reply}
        lines={12}
        sheet={sheetOfTriangle}
        head={<Tabs label="Periods" names={UNITS} chosen={chosen.unit} onChoose={(unit) => change({ unit })} />}
      >
        {(answer) => <Triangle answer={answer} unit={chosen.unit} />}
      </Panel>
    </>
  );
}

function sheetOfTriangle({ cohorts }: RetentionAnswer): Sheet {
  const count = Math.max(0, ...cohorts.map(({ periods }) => periods.length));
  const columns = ["cohort", "size", ...Array.from({ length: Math.max(0, count - 1) }, (_, at) => `+${at + 1}`)];
  return { columns, rows: cohorts.map(({ bucket, size, periods }) => [bucket.local, size, ...periods.slice(1).map(({ entities }) => entities)]) };
}
