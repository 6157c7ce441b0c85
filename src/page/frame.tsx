import { useCallback, useEffect, useState, useMemo, useErrorBoundary, useRef } from "preact/hooks";
import { addressOf, viewStateOf, scopeOf, type ViewState, type PageClock } from "./state/view-state.js";
import { dayIn, daysOf, INTERVALS, PERIODS, rangeOf, type PeriodName, type Period } from "./state/period.js";
import type { ComponentType } from "preact";
import type { TokenAnswer, TrendAnswer } from "./api/answers.js";
import { followChanges, type ApiClient } from "./api/client.js";
import { extentQuery } from "./api/queries.js";
import { hasScope, canOpen } from "./api/rights.js";
import { Page, usePage, useQueryOf, type PageContext } from "./parts/page-context.js";
import { VIEWS, type ViewControl, type ViewEntry } from "./views/table.js";
import { LookContext } from "../charts/look.js";
import { Empty } from "../charts/notice.js";
import { Icon, ViewLink, Button } from "./parts/inline.js";
import { Select, TextField } from "./parts/fields.js";
import { FilterChips } from "./parts/filter-chips.js";
import { FORMATS, range } from "./format/text.js";

export function Mark() {
  return (
    <span class="mark">
      <svg viewBox="0 0 20 20" aria-hidden="true" focusable="false">
        <rect x="2" y="2" width="16" height="16" rx="4" class="mark-ground" />
        <path d="M6 13.5v-3M10 13.5v-7M14 13.5v-5" class="mark-bars" />
      </svg>
      Daybook
    </span>
  );
}

const BROWSER_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** The view state of the current URL, with the browser's time zone if the URL names none; later URLs name it. */
export function currentViewState(): ViewState {
  const state = viewStateOf(location.search);
  return state.zone === "" ? { ...state, zone: BROWSER_ZONE } : state;
}

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
function useViewState(firstPeriod: PeriodName) {
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

const THEMES = { auto: "Auto", light: "Light", dark: "Dark" } as const;
type Theme = keyof typeof THEMES;

type BrowserStorage = "localStorage" | "sessionStorage";

/** Null: none, or the browser blocks the storage. */
export function readStored(storage: BrowserStorage, key: string): string | null {
  try {
    return window[storage].getItem(key);
  } catch {
    return null;
  }
}

/** @param text null removes it */
export function store(storage: BrowserStorage, key: string, text: string | null): void {
  try {
    if (text === null) window[storage].removeItem(key);
    else window[storage].setItem(key, text);
  } catch {
    return;
  }
}

interface ColorTheme {
  readonly theme: Theme;
  /** Changes with the colors. */
  readonly shown: string;
  readonly choose: (theme: Theme) => void;
}

export function useTheme(): ColorTheme {
  const [theme, setTheme] = useState<Theme>(() => {
    const stored = readStored("localStorage", THEME_KEY);
    return stored === "light" || stored === "dark" ? stored : "auto";
  });
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
    store("localStorage", THEME_KEY, chosen === "auto" ? null : chosen);
    setTheme(chosen);
  };
  return { theme, shown: theme === "auto" ? String(isDark) : theme, choose };
}

const ZONES: readonly string[] = ["UTC", ...Intl.supportedValuesOf("timeZone").filter((name) => name !== "UTC")];

const PERIOD_NAMES = { ...PERIODS, custom: "Custom…" } as const;
const COMPARE_NAMES = { previous: "vs. previous period", year: "vs. a year ago", none: "No comparison" } as const;

function ToolBar({ view }: { readonly view: ViewEntry }) {
  const { viewState, scope, extent, go } = usePage();
  const { period } = viewState;
  const has = (control: ViewControl) => view.controls.includes(control);
  const autoUnit = scopeOf({ ...viewState, interval: "auto" }, { nowMs: Date.now(), extent }).unit;
  const choose = (chosen: PeriodName | "custom") => {
    const days = rangeOf(period, scope.today);
    const custom = { from: days.from ?? extent?.from ?? scope.today, to: days.to ?? scope.today };
    go({ ...viewState, period: chosen === "custom" ? custom : chosen });
  };
  const zones = ZONES.includes(scope.zone) ? ZONES : [scope.zone, ...ZONES];
  return (
    <div class="tool-bar">
      <div class="tool-title">
        <h1>{view.title}</h1>
        {has("period") && <span class="faint">{range(scope)}</span>}
      </div>
      <div class="tools">
        {has("period") && (
          <Select label="Period" isBare value={typeof period === "string" ? period : "custom"} names={PERIOD_NAMES} onChoose={choose} />
        )}
        {has("period") && typeof period !== "string" && (
          <Days period={period} onChoose={(days) => go({ ...viewState, period: days })} />
        )}
        {has("compare") && (
          <Select label="Comparison" isBare value={viewState.compare} names={COMPARE_NAMES} onChoose={(compare) => go({ ...viewState, compare })} />
        )}
        {has("interval") && (
          <Select
            label="Interval"
            isBare
            value={viewState.interval}
            names={INTERVALS.map((name) => [name, name === "auto" ? `Auto: by ${autoUnit}` : `By ${name}`] as const)}
            onChoose={(interval) => go({ ...viewState, interval })}
          />
        )}
        {has("period") && (
          <Select
            label="Time zone"
            isBare
            value={scope.zone}
            names={zones.map((name) => [name, name.replaceAll("_", " ")] as const)}
            onChoose={(zone) => go({ ...viewState, zone })}
          />
        )}
      </div>
      {has("filters") && <FilterChips filters={viewState.filters} onChange={(filters) => go({ ...viewState, filters })} />}
    </div>
  );
}

function Days({ period: { from, to }, onChoose }: { readonly period: Exclude<Period, string>; readonly onChoose: (period: Period) => void }) {
  const commit = (first: string, last: string) => {
    const days = daysOf(first, last);
    if (days !== null) onChoose(days);
  };
  return (
    <>
      <TextField label="From" isBare type="date" value={from} onCommit={(day) => commit(day, to)} />
      <TextField label="To" isBare type="date" value={to} onCommit={(day) => commit(from, day)} />
    </>
  );
}

function SideBar({ projects, colors, onSignOut }: Pick<FrameProps, "projects" | "colors" | "onSignOut">) {
  const { viewState, token, go } = usePage();
  const links = useRef<HTMLElement>(null);
  useEffect(() => {
    // On small screens the links form one scrollable line: scroll to the current one.
    const current = links.current?.querySelector<HTMLElement>("[aria-current]");
    if (current && links.current) links.current.scrollLeft = current.offsetLeft - links.current.clientWidth / 2;
  }, [viewState.view]);
  const shown = VIEWS.filter(({ name }) => canOpen(token, name));
  return (
    <aside class="side" aria-label="Daybook">
      <div class="side-head">
        <Mark />
        <Select
          label="Project"
          isBare
          value={viewState.project}
          names={projects.map((name) => [name, name] as const)}
          onChoose={(project) => go({ ...viewState, project })}
        />
      </div>
      <nav aria-label="Views" ref={links}>
        {shown.map(({ name, title }) => (
          <ViewLink key={name} to={{ ...viewState, view: name }} class="nav-link" isCurrent={name === viewState.view}>
            <Icon name={name} /> <span>{title}</span>
          </ViewLink>
        ))}
      </nav>
      <div class="side-foot">
        <span class="colors">
          <Icon name="sun" />
          <Select label="Colors" isBare value={colors.theme} names={THEMES} onChoose={colors.choose} />
        </span>
        <Button class="quiet" onClick={onSignOut} title={`${token.organization}, ${token.role}`}>
          <Icon name="out" /> <span>Sign out</span>
        </Button>
      </div>
    </aside>
  );
}

const BATCH_MS = 1_000;
/** Refresh interval without changes: the number of people online still changes. */
const IDLE_MS = 60_000;

function useChanges(client: ApiClient, project: string): number {
  const [tick, setTick] = useState(0);
  useEffect(() => {
    if (project === "") return;
    const abort = new AbortController();
    let timer: ReturnType<typeof setTimeout> | null = null;
    const flush = () => {
      timer = null;
      if (document.hidden) return;
      client.invalidate();
      setTick((count) => count + 1);
    };
    const schedule = () => {
      timer ??= setTimeout(flush, BATCH_MS);
    };
    const onVisibility = () => (document.hidden ? undefined : schedule());
    const idle = setInterval(schedule, IDLE_MS);
    document.addEventListener("visibilitychange", onVisibility);
    void followChanges(client, project, abort.signal, schedule);
    return () => {
      abort.abort();
      clearInterval(idle);
      if (timer !== null) clearTimeout(timer);
      document.removeEventListener("visibilitychange", onVisibility);
    };
  }, [client, project]);
  return tick;
}

export interface StartInfo {
  readonly token: TokenAnswer;
  readonly projects: readonly string[];
  /** Defaults if the URL names no project or no period. */
  readonly firstProject: string;
  readonly firstPeriod: PeriodName;
}

export interface FrameProps extends StartInfo {
  readonly client: ApiClient;
  readonly colors: ColorTheme;
  readonly onSignOut: () => void;
}

export function Frame({ client, token, projects, firstProject, firstPeriod, colors, onSignOut }: FrameProps) {
  const { viewState: requested, go, replace } = useViewState(firstPeriod);
  const project = projects.includes(requested.project) ? requested.project : firstProject;
  const view = canOpen(token, requested.view) ? requested.view : (VIEWS.find(({ name }) => canOpen(token, name))?.name ?? "overview");
  const viewState = useMemo(() => ({ ...requested, project, view }), [requested, project, view]);
  useEffect(() => {
    if (viewState.project !== requested.project || viewState.view !== requested.view) replace(viewState);
  }, [viewState]);
  const mayAnalyze = hasScope(token, "analytics:read");
  const tick = useChanges(client, mayAnalyze ? project : "");
  const { zone } = viewState;
  const { answer: months } = useQueryOf(client, tick, mayAnalyze ? extentQuery(project, zone) : null);
  const found = extentIn(months, zone);
  // The same object while its days are the same, so that the page renders no more often.
  const extent = useMemo(() => found, [found?.from, found?.to]);
  const today = dayIn(zone, Date.now());
  const scope = useMemo(() => scopeOf(viewState, { nowMs: Date.now(), extent }), [viewState, today, extent]);
  const entry = VIEWS.find(({ name }) => name === view) ?? VIEWS[0];
  useEffect(() => {
    document.title = `${entry.title} · ${project} · Daybook`;
  }, [entry, project]);
  const page: PageContext = { viewState, scope, extent, client, token, tick, go };
  const { View } = entry;
  return (
    <Page.Provider value={page}>
      <LookContext.Provider value={{ formats: FORMATS, theme: colors.shown }}>
        <div class="frame">
          <a class="skip" href="#view">
            Skip to the content
          </a>
          <SideBar projects={projects} colors={colors} onSignOut={onSignOut} />
          <main id="view" tabIndex={-1}>
            <ToolBar view={entry} />
            <ViewBoundary key={`${view} ${project}`} View={View} />
          </main>
        </div>
      </LookContext.Provider>
    </Page.Provider>
  );
}

function extentIn(answer: TrendAnswer | null, zone: string): PageClock["extent"] {
  const [first, last] = [answer?.buckets[0], answer?.buckets.at(-1)];
  const lastEnd = last?.end ?? null;
  return first?.local && lastEnd !== null ? { from: `${first.local}-01`, to: dayIn(zone, Date.parse(lastEnd)) } : null;
}

function ViewBoundary({ View }: { readonly View: ComponentType }) {
  const [error, retry] = useErrorBoundary((thrown: unknown) => console.error(thrown));
  if (error === undefined) return <View />;
  return (
    <section class="panel" aria-label="Error">
      <Empty title="This view failed">
        <p>It cannot display the response. The numbers are still available with curl.</p>
        <p>
          <Button onClick={retry}>Try again</Button>
        </p>
      </Empty>
    </section>
  );
}
