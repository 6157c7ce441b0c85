import type { RetentionAnswer } from "../../ask/answers.js";
import { retentionQuestion } from "../../ask/questions/product.js";
import type { Sheet } from "../../format/sheet.js";
import { usePage } from "../../parts/page-context.js";
import { Panel } from "../../parts/panel.js";
import { useReply } from "../../parts/reply.js";
import { Triangle } from "./triangle.js";
import { UnitTabs } from "./unit-tabs.js";

/** Cohorts of people, and how many of each came back. */
export function Cohorts() {
  const { picture, scope } = usePage();
  const chosen = picture.choices.retention;
  const reply = useReply(retentionQuestion(scope, chosen));
  return (
    <Panel title="Who came back" reply={reply} lines={12} sheet={sheetOfTriangle} head={<UnitTabs />}>
      {(answer) => <Triangle answer={answer} unit={chosen.unit} />}
    </Panel>
  );
}

function sheetOfTriangle({ cohorts }: RetentionAnswer): Sheet {
  const count = Math.max(0, ...cohorts.map(({ periods }) => periods.length));
  const columns = ["cohort", "size", ...Array.from({ length: Math.max(0, count - 1) }, (_, at) => `+${at + 1}`)];
  return { columns, rows: cohorts.map(({ bucket, size, periods }) => [bucket.local, size, ...periods.slice(1).map(({ entities }) => entities)]) };
}
