import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { TokenAnswer } from "../ask/answers.js";
import type { ApiClient } from "../ask/client.js";
import type { Filter } from "../state/filter.js";
import { withFilter } from "../state/filter.js";
import type { ViewState } from "../state/view-state.js";
import type { PageClock, ViewScope } from "../state/scope.js";

/** The context of every view. */
export interface PageContext {
  readonly picture: ViewState;
  readonly scope: ViewScope;
  readonly extent: PageClock["extent"];
  readonly client: ApiClient;
  readonly token: TokenAnswer;
  /** Goes up when stored data may have changed. */
  readonly tick: number;
  /** Changes with the colours. */
  readonly theme: string;
  /** Shows another view state, as a new entry of the history. */
  readonly go: (picture: ViewState) => void;
}

export const Page = createContext<PageContext | null>(null);

export function usePage(): PageContext {
  const page = useContext(Page);
  if (page === null) throw new Error("usePage is called outside of the page");
  return page;
}

/** Returns a function that adds filters to the view state. */
export function useFilterBy(): (...filters: readonly Filter[]) => void {
  const { picture, go } = usePage();
  return (...filters) => go({ ...picture, filters: filters.reduce(withFilter, picture.filters) });
}
