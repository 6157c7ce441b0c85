import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { Question } from "../../ask/question.js";
import { Panel } from "../../parts/panel.js";
import { RankedList, type RankedRow } from "../../parts/ranked-list.js";
import type { Reply } from "../../parts/reply.js";
import { LongList } from "./long-list.js";
import { sheetOfRows } from "./sheet-of-rows.js";

interface ListedProps<A> {
  readonly title: string;
  readonly heads: readonly [string, string, string];
  readonly tabs: ComponentChildren;
  readonly reply: Reply<A>;
  readonly rows: (answer: A) => RankedRow[];
  readonly hasMore: (answer: A) => boolean;
  /** The same list in full. */
  readonly long: Question<A>;
}

/** A list in a panel, which opens in full. */
export function Listed<A>({ title, heads, tabs, reply, rows, hasMore, long }: ListedProps<A>) {
  const [isLong, setLong] = useState(false);
  return (
    <Panel title={title} class="list" reply={reply} head={tabs} sheet={(answer) => sheetOfRows(heads, rows(answer))}>
      {(answer) => {
        const shown = rows(answer);
        return (
          <>
            <RankedList label={title} heads={heads} rows={shown} />
            {shown.length === 0 && <p class="nothing">None</p>}
            {hasMore(answer) && (
              <button type="button" class="more" onClick={() => setLong(true)}>
                Show all
              </button>
            )}
            {isLong && <LongList title={title} question={long} heads={heads} rows={rows} onClose={() => setLong(false)} />}
          </>
        );
      }}
    </Panel>
  );
}
