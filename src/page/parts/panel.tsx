import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { keyOf, type Question } from "../ask/question.js";
import type { Sheet } from "../format/sheet.js";
import { Icon } from "./icon.js";
import { Skeleton, TroubleNotice } from "./notice.js";
import { usePage } from "./page-context.js";
import { QuestionDialog } from "./question-dialog.js";
import type { Reply } from "./reply.js";

interface PanelProps<A> {
  readonly title: string;
  readonly reply: Reply<A>;
  /** The answer as a table, to download and to read where there is a plot. */
  readonly sheet: (answer: A) => Sheet;
  readonly children: (answer: A) => ComponentChildren;
  /** Beside the title. */
  readonly head?: ComponentChildren;
  /** Lines that it will have, so that nothing jumps. */
  readonly lines?: number;
  /** Shown while nothing is asked. */
  readonly unasked?: ComponentChildren;
  readonly class?: string;
  /** What else was asked for it. */
  readonly also?: Question<unknown> | null;
}

/** An answer with its question: what is shown here can be had by `curl`, and as a file. */
export function Panel<A>({ title, reply, sheet, children, head, lines = 9, unasked, class: name = "", also = null }: PanelProps<A>) {
  const [isAsked, setAsked] = useState(false);
  const { question, answer, trouble, isOld } = reply;
  // An answer that could not be asked anew stays, and says so.
  const isKept = trouble !== null && answer !== null && (trouble.isLoad || trouble.code === "unreachable");
  const { client } = usePage();
  const unknown = question === null || isOld ? [] : client.unknownIn(question);
  const hasFailed = trouble !== null && !isKept;
  return (
    <section
      class={`panel ${name}`}
      aria-label={title}
      aria-busy={isOld || (question !== null && answer === null && trouble === null)}
      data-panel={title}
      data-question={question === null ? undefined : keyOf(question)}
      data-also={also === null ? undefined : keyOf(also)}
    >
      <header class="panel-head">
        <h2>{title}</h2>
        <div class="panel-tools">
          {isKept && (
            <span class="kept" title={trouble.detail}>
              not refreshed
            </span>
          )}
          {head}
          {question !== null && (
            <button
              type="button"
              class="icon-button"
              aria-label={`Question and files of ${title}`}
              title="Question, CSV, JSON"
              onClick={() => setAsked(true)}
            >
              <Icon name="question" />
            </button>
          )}
        </div>
      </header>
      {unknown.length > 0 && (
        <p class="remark unknown">
          No event has a field or metadata key named {unknown.map((each) => `“${each}”`).join(", ")}: it counts as not set.
        </p>
      )}
      <div class={isOld ? "panel-body old" : "panel-body"}>
        {question === null ? (
          unasked
        ) : hasFailed ? (
          <TroubleNotice trouble={trouble} onAgain={reply.again} />
        ) : answer === null ? (
          <Skeleton lines={lines} />
        ) : (
          children(answer)
        )}
      </div>
      {isAsked && question !== null && (
        <QuestionDialog
          title={title}
          question={question}
          also={also}
          answer={answer}
          sheet={answer === null ? null : sheet(answer)}
          onClose={() => setAsked(false)}
        />
      )}
    </section>
  );
}
