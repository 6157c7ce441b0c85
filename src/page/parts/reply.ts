import { useEffect, useLayoutEffect, useState } from "preact/hooks";
import { keyOf, type PageQuery } from "../ask/question.js";
import { Trouble } from "../ask/trouble.js";
import { usePage } from "./page-context.js";

const RETRY_SEC = 5;

/** What is known of a question's answer. */
export interface Reply<A> {
  readonly question: PageQuery<A> | null;
  /** Of this question, or of the one before while this one is under way. */
  readonly answer: A | null;
  readonly trouble: Trouble | null;
  /** The answer shown is that of the question before. */
  readonly isOld: boolean;
  readonly again: () => void;
}

interface ReplyState<A> {
  /** Of the question that was answered, or failed, last. */
  readonly key: string;
  readonly answer: A | null;
  /** Of the question that the answer is of. */
  readonly answerKey: string;
  readonly trouble: Trouble | null;
}

/** Asks, and asks again when something was stored, or later when the server has too much to do. null asks nothing. */
export function useReply<A>(question: PageQuery<A> | null): Reply<A> {
  const { client, tick } = usePage();
  const key = question === null ? "" : keyOf(question);
  const [state, setState] = useState<ReplyState<A>>({ key: "", answer: null, answerKey: "", trouble: null });
  const [attempt, setAttempt] = useState(0);
  const again = () => setAttempt((count) => count + 1);

  // Before it is painted: what is asked a frame earlier is there a frame earlier.
  useLayoutEffect(() => {
    if (question === null) return;
    const known = client.known(question);
    if (known !== null) setState({ key, answer: known.answer, answerKey: key, trouble: null });
    if (known?.isFresh === true) return;
    const abort = new AbortController();
    client.ask(question, abort.signal).then(
      (answer) => setState({ key, answer, answerKey: key, trouble: null }),
      (thrown: unknown) => {
        if (abort.signal.aborted) return;
        const trouble = thrown instanceof Trouble ? thrown : new Trouble("internal", 0, String(thrown), null, null);
        setState((before) => ({ ...before, key, trouble, answer: before.answerKey === key ? before.answer : null }));
      },
    );
    return () => abort.abort();
  }, [key, tick, attempt, client]);

  const isCurrent = state.key === key;
  const trouble = isCurrent ? state.trouble : null;
  useEffect(() => {
    if (trouble === null || !trouble.isLoad) return;
    const timer = setTimeout(again, (trouble.retryAfterSec ?? RETRY_SEC) * 1_000);
    return () => clearTimeout(timer);
  }, [trouble]);

  if (question === null) return { question, answer: null, trouble: null, isOld: false, again };
  if (isCurrent) return { question, answer: state.answer, trouble, isOld: false, again };
  const known = client.known(question)?.answer ?? null;
  return { question, answer: known ?? state.answer, trouble: null, isOld: known === null && state.answer !== null, again };
}
