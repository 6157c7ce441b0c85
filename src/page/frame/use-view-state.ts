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

const NAME = "daybook-theme";

export const THEMES = ["auto", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

function keptTheme(): Theme {
  try {
    return THEMES.find((name) => name === localStorage.getItem(NAME)) ?? "auto";
  } catch {
    return "auto";
  }
}

function keepTheme(theme: Theme): void {
  try {
    if (theme === "auto") localStorage.removeItem(NAME);
    else localStorage.setItem(NAME, theme);
  } catch {
    return;
  }
}

/** The colours: the reader's choice, or those of the system. `shown` changes with either. */
export function useTheme(): { readonly theme: Theme; readonly shown: string; readonly choose: (theme: Theme) => void } {
  const [theme, setTheme] = useState(keptTheme);
  const [isDark, setDark] = useState(() => matchMedia("(prefers-color-scheme: dark)").matches);
  useEffect(() => {
    const system = matchMedia("(prefers-color-scheme: dark)");
    const follow = () => setDark(system.matches);
    system.addEventListener("change", follow);
    return () => system.removeEventListener("change", follow);
  }, []);
  // Before anything is drawn: plots read the colours when they are created.
  document.documentElement.dataset["theme"] = theme;
  const choose = (chosen: Theme) => {
    keepTheme(chosen);
    setTheme(chosen);
  };
  return { theme, shown: theme === "auto" ? String(isDark) : theme, choose };
}
