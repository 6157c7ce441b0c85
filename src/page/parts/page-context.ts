import { createContext } from "preact";
import { useContext, useEffect, useLayoutEffect, useState } from "preact/hooks";
import type { TokenAnswer } from "../api/answers.js";
import { asApiError, type ApiClient, type ApiError } from "../api/client.js";
import { withFilter, type Filter } from "../state/filter.js";
import { choose, type ChoicesOf, type PageClock, type ViewName, type ViewScope, type ViewState } from "../state/view-state.js";
import { keyOf, type PageQuery } from "../api/queries.js";

export interface PageContext {
  readonly viewState: ViewState;
  readonly scope: ViewScope;
  readonly extent: PageClock["extent"];
  readonly client: ApiClient;
  readonly token: TokenAnswer;
  /** Increases when stored data may have changed. */
  readonly tick: number;
  readonly go: (viewState: ViewState) => void;
}

export const Page = createContext<PageContext | null>(null);

export function usePage(): PageContext {
  const page = useContext(Page);
  if (page === null) throw new Error("usePage is called outside of the page");
  return page;
}

export function useFilterBy(): (...filters: readonly Filter[]) => void {
  const { viewState, go } = usePage();
  return (...filters) => go({ ...viewState, filters: filters.reduce(withFilter, viewState.filters) });
}

export function useChoices<V extends ViewName>(view: V): readonly [ChoicesOf<V>, (changed: Partial<ChoicesOf<V>>) => void] {
  const { viewState, go } = usePage();
  return [viewState.choices[view], (changed) => go(choose(viewState, view, changed))];
}

const RETRY_SEC = 5;

export interface QueryState<A> {
  readonly query: PageQuery<A> | null;
  /** The response to this query, or to the previous one while this one is loading. */
  readonly answer: A | null;
  readonly error: ApiError | null;
  readonly isOld: boolean;
  readonly again: () => void;
}

interface QueryProgress<A> {
  /** Of the query that succeeded or failed last. */
  readonly key: string;
  readonly answer: A | null;
  readonly error: ApiError | null;
}

/** Runs a query, and runs it again when data changes, or later if the server is overloaded. null: runs nothing. */
export function useQuery<A>(query: PageQuery<A> | null): QueryState<A> {
  const { client, tick } = usePage();
  return useQueryOf(client, tick, query);
}

/** `useQuery` outside of the page's context. */
export function useQueryOf<A>(client: ApiClient, tick: number, query: PageQuery<A> | null): QueryState<A> {
  const key = query === null ? "" : keyOf(query);
  const [state, setState] = useState<QueryProgress<A>>({ key: "", answer: null, error: null });
  const [attempt, setAttempt] = useState(0);
  const again = () => setAttempt((count) => count + 1);

  // A layout effect, to send the request one frame earlier.
  useLayoutEffect(() => {
    if (query === null) return;
    const cached = client.cached(query);
    if (cached !== null) setState({ key, answer: cached.answer, error: null });
    if (cached?.isFresh === true) return;
    const abort = new AbortController();
    client.query(query, abort.signal).then(
      (answer) => setState({ key, answer, error: null }),
      (thrown: unknown) => {
        if (abort.signal.aborted) return;
        setState((before) => ({ key, error: asApiError(thrown), answer: before.key === key ? before.answer : null }));
      },
    );
    return () => abort.abort();
  }, [key, tick, attempt, client]);

  const isCurrent = state.key === key;
  const error = isCurrent ? state.error : null;
  useEffect(() => {
    if (error === null || !error.isLoad) return;
    const timer = setTimeout(again, (error.retryAfterSec ?? RETRY_SEC) * 1_000);
    return () => clearTimeout(timer);
  }, [error]);

  if (query === null) return { query, answer: null, error: null, isOld: false, again };
  if (isCurrent) return { query, answer: state.answer, error, isOld: false, again };
  const cached = client.cached(query)?.answer ?? null;
  return { query, answer: cached ?? state.answer, error: null, isOld: cached === null && state.answer !== null, again };
}
