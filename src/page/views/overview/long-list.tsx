import { Dialog } from "../../parts/dialog.js";
import { Skeleton, TroubleNotice } from "../../parts/notice.js";
import { RankedList, type RankedRow } from "../../parts/ranked-list.js";
import { useReply } from "../../parts/reply.js";
import type { Question } from "../../ask/question.js";

interface LongListProps<A> {
  readonly title: string;
  readonly question: Question<A>;
  readonly heads: readonly [string, string, string];
  readonly rows: (answer: A) => RankedRow[];
  readonly onClose: () => void;
}

/** A list in full, over the page. */
export function LongList<A>({ title, question, heads, rows, onClose }: LongListProps<A>) {
  const { answer, trouble, again } = useReply(question);
  return (
    <Dialog title={title} onClose={onClose} isWide>
      {trouble !== null && <TroubleNotice trouble={trouble} onAgain={again} />}
      {answer === null ? <Skeleton lines={12} /> : <RankedList label={title} heads={heads} rows={rows(answer)} />}
    </Dialog>
  );
}
