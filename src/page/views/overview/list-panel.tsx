import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { WebAnswer } from "../../ask/answers.js";
import { LIST_ROWS, longListsQuestion } from "../../ask/questions/overview.js";
import { usePage } from "../../parts/page-context.js";
import { Panel } from "../../parts/panel.js";
import { RankedList, type RankedRow } from "../../parts/ranked-list.js";
import type { Reply } from "../../parts/reply.js";
import { LongList } from "./long-list.js";
import { sheetOfRows } from "./sheet-of-rows.js";

interface ListPanelProps {
  readonly title: string;
  readonly web: Reply<WebAnswer>;
  readonly heads: readonly [string, string, string];
  readonly rows: (answer: WebAnswer) => RankedRow[];
  readonly tabs: ComponentChildren;
}

/** One of the lists of the overview. */
export function ListPanel({ title, web, heads, rows, tabs }: ListPanelProps) {
  const { scope } = usePage();
  const [isLong, setLong] = useState(false);
  return (
    <Panel title={title} class="list" reply={web} head={tabs} sheet={(answer) => sheetOfRows(heads, rows(answer))}>
      {(answer) => {
        const shown = rows(answer);
        return (
          <>
            <RankedList label={title} heads={heads} rows={shown} />
            {shown.length === 0 && <p class="nothing">None</p>}
            {shown.length >= LIST_ROWS && (
              <button type="button" class="more" onClick={() => setLong(true)}>
                Show all
              </button>
            )}
            {isLong && <LongList title={title} question={longListsQuestion(scope)} heads={heads} rows={rows} onClose={() => setLong(false)} />}
          </>
        );
      }}
    </Panel>
  );
}
