import type { ComponentChildren } from "preact";
import type { SessionsAnswer, WebAnswer } from "../../ask/answers.js";
import { LIST_ROWS, LONG_LIST_ROWS, longListsQuestion, visitsByQuestion } from "../../ask/questions/overview.js";
import { usePage } from "../../parts/page-context.js";
import type { RankedRow } from "../../parts/ranked-list.js";
import { useReply, type Reply } from "../../parts/reply.js";
import { Listed } from "./listed.js";
import { brokenRows } from "./rows.js";

type Heads = readonly [string, string, string];

/** A list of the overview's own answer, or visits broken down by fields that it does not have. */
export type OverviewList =
  | { readonly heads: Heads; readonly rows: (answer: WebAnswer) => RankedRow[] }
  | { readonly heads: Heads; readonly fields: readonly string[] };

interface ListPanelProps {
  readonly title: string;
  readonly web: Reply<WebAnswer>;
  readonly list: OverviewList;
  readonly tabs: ComponentChildren;
}

/** One of the lists of the overview: the panel stays when another list is chosen, and so does the focus on its tabs. */
export function ListPanel({ title, web, list, tabs }: ListPanelProps) {
  const { scope } = usePage();
  const broken = useReply("fields" in list ? visitsByQuestion(scope, list.fields) : null);
  if ("fields" in list)
    return (
      <Listed
        title={title}
        heads={list.heads}
        tabs={tabs}
        reply={broken}
        rows={({ rows }: SessionsAnswer) => brokenRows(rows ?? [], list.fields)}
        hasMore={({ value_count: count }) => count > LIST_ROWS}
        long={visitsByQuestion(scope, list.fields, LONG_LIST_ROWS)}
      />
    );
  return (
    <Listed
      title={title}
      heads={list.heads}
      tabs={tabs}
      reply={web}
      rows={list.rows}
      hasMore={(answer) => list.rows(answer).length >= LIST_ROWS}
      long={longListsQuestion(scope)}
    />
  );
}
