import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { SessionsAnswer } from "../../ask/answers.js";
import { LIST_ROWS, LONG_LIST_ROWS, visitsByQuestion } from "../../ask/questions/overview.js";
import { usePage } from "../../parts/page-context.js";
import { Panel } from "../../parts/panel.js";
import { RankedList } from "../../parts/ranked-list.js";
import { useReply } from "../../parts/reply.js";
import { LongList } from "./long-list.js";
import { brokenRows } from "./rows.js";
import { sheetOfRows } from "./sheet-of-rows.js";

interface BrokenPanelProps {
  readonly title: string;
  readonly fields: readonly string[];
  readonly heads: readonly [string, string, string];
  readonly tabs: ComponentChildren;
}

/** Visits broken down by fields that the overview's own answer does not have. */
export function BrokenPanel({ title, fields, heads, tabs }: BrokenPanelProps) {
  const { scope } = usePage();
  const [isLong, setLong] = useState(false);
  const reply = useReply(visitsByQuestion(scope, fields));
  const rowsOf = ({ rows }: SessionsAnswer) => brokenRows(rows ?? [], fields);
  return (
    <Panel title={title} class="list" reply={reply} head={tabs} sheet={(answer) => sheetOfRows(heads, rowsOf(answer))}>
      {(answer) => (
        <>
          <RankedList label={title} heads={heads} rows={rowsOf(answer)} />
          {(answer.rows ?? []).length === 0 && <p class="nothing">None</p>}
          {answer.value_count > LIST_ROWS && (
            <button type="button" class="more" onClick={() => setLong(true)}>
              Show all
            </button>
          )}
          {isLong && (
            <LongList
              title={title}
              question={visitsByQuestion(scope, fields, LONG_LIST_ROWS)}
              heads={heads}
              rows={rowsOf}
              onClose={() => setLong(false)}
            />
          )}
        </>
      )}
    </Panel>
  );
}
