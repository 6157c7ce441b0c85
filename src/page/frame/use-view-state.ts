import { useCallback, useEffect, useState } from "preact/hooks";
import { addressOf, viewStateOf } from "../state/address.js";
import type { PeriodName } from "../state/period.js";
import type { ViewState } from "../state/view-state.js";

const BROWSER_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** The view state of the current URL, with the browser's time zone if the URL names none; later URLs name it. */
export function currentViewState(): ViewState {
  const state = viewStateOf(location.search);
  return state.zone === "" ? { ...state, zone: BROWSER_ZONE } : state;
}

/** Whether the URL names a period. */
export function hasPeriod(): boolean {
  return new URLSearchParams(location.search).has("period");
}

function writeUrl(viewState: ViewState, isNew: boolean): void {
  const query = addressOf(viewState);
  const url = location.pathname + (query === "" ? "" : `?${query}`);
  if (isNew) history.pushState(null, "", url);
  else history.replaceState(null, "", url);
}

/** The view state, synchronized with the URL. `go` adds a history entry, `replace` does not. @param firstPeriod used if the URL names none */
export function useViewState(firstPeriod: PeriodName): {
  readonly viewState: ViewState;
  readonly go: (viewState: ViewState) => void;
  readonly replace: (viewState: ViewState) => void;
} {
  const [viewState, setViewState] = useState(() => (hasPeriod() ? currentViewState() : { ...currentViewState(), period: firstPeriod }));
  useEffect(() => {
    writeUrl(viewState, false);
    const follow = () => setViewState(currentViewState());
    addEventListener("popstate", follow);
    return () => removeEventListener("popstate", follow);
  }, []);
  const go = useCallback((next: ViewState) => {
    if (addressOf(next) === addressOf(currentViewState())) return;
    const isOtherView = next.view !== currentViewState().view;
    writeUrl(next, true);
    setViewState(next);
    if (isOtherView) scrollTo(0, 0);
  }, []);
  const replace = useCallback((next: ViewState) => {
    writeUrl(next, false);
    setViewState(next);
  }, []);
  return { viewState, go, replace };
}

const THEME_KEY = "daybook-theme";

export const THEMES = ["auto", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

function storedTheme(): Theme {
  try {
    return THEMES.find((name) => name === localStorage.getItem(THEME_KEY)) ?? "auto";
  } catch {
    return "auto";
  }
}

function storeTheme(theme: Theme): void {
  try {
    if (theme === "auto") localStorage.removeItem(THEME_KEY);
    else localStorage.setItem(THEME_KEY, theme);
  } catch {
    return;
  }
}

/** The color theme: the user's choice, or that of the system. `shown` changes with either. */
export function useTheme(): { readonly theme: Theme; readonly shown: string; readonly choose: (theme: Theme) => void } {
  const [theme, setTheme] = useState(storedTheme);
  const [isDark, setDark] = useState(() => matchMedia("(prefers-color-scheme: dark)").matches);
  useEffect(() => {
    const system = matchMedia("(prefers-color-scheme: dark)");
    const follow = () => setDark(system.matches);
    system.addEventListener("change", follow);
    return () => system.removeEventListener("change", follow);
  }, []);
  // Set before rendering: plots read the colors when they are created.
  document.documentElement.dataset["theme"] = theme;
  const choose = (chosen: Theme) => {
    storeTheme(chosen);
    setTheme(chosen);
  };
  return { theme, shown: theme === "auto" ? String(isDark) : theme, choose };
}
