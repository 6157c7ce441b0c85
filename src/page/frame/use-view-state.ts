import { useCallback, useEffect, useState } from "preact/hooks";
import { addressOf, viewStateOf } from "../state/address.js";
import type { PeriodName } from "../state/period.js";
import type { ViewState } from "../state/view-state.js";

const BROWSER_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** The view state of the address. A missing zone becomes the browser's, which the address contains from then on. */
export function currentViewState(): ViewState {
  const told = viewStateOf(location.search);
  return told.zone === "" ? { ...told, zone: BROWSER_ZONE } : told;
}

/** Whether the address names a period. */
export function tellsPeriod(): boolean {
  return new URLSearchParams(location.search).has("period");
}

function write(picture: ViewState, isNew: boolean): void {
  const address = addressOf(picture);
  const url = location.pathname + (address === "" ? "" : `?${address}`);
  if (isNew) history.pushState(null, "", url);
  else history.replaceState(null, "", url);
}

/** The view state, kept in sync with the address. @param firstPeriod used if the address names none */
export function useViewState(firstPeriod: PeriodName): {
  readonly picture: ViewState;
  readonly go: (picture: ViewState) => void;
  readonly settle: (picture: ViewState) => void;
} {
  const [picture, setPicture] = useState(() => (tellsPeriod() ? currentViewState() : { ...currentViewState(), period: firstPeriod }));
  useEffect(() => {
    write(picture, false);
    const follow = () => setPicture(currentViewState());
    addEventListener("popstate", follow);
    return () => removeEventListener("popstate", follow);
  }, []);
  const go = useCallback((next: ViewState) => {
    if (addressOf(next) === addressOf(currentViewState())) return;
    const isOtherView = next.view !== currentViewState().view;
    write(next, true);
    setPicture(next);
    if (isOtherView) scrollTo(0, 0);
  }, []);
  const settle = useCallback((next: ViewState) => {
    write(next, false);
    setPicture(next);
  }, []);
  return { picture, go, settle };
}
