import { useEffect, useMemo, useState, useErrorBoundary, useRef } from "preact/hooks";
import type { ComponentType } from "preact";
import type { TrendAnswer } from "../ask/answers.js";
import { followChanges, type ApiClient } from "../ask/client.js";
import { extentQuery } from "../ask/queries/overview.js";
import { hasScope, canOpen } from "../ask/rights.js";
import { Page, type PageContext, usePage } from "../parts/page-context.js";
import { dayIn, isDay, INTERVALS, PERIODS, rangeOf, type Period, type PeriodName } from "../state/period.js";
import { scopeOf, switchView, type PageClock } from "../state/view-state.js";
import { VIEWS, type ViewEntry } from "../views/table.js";
import { Empty } from "../parts/notice.js";
import { Select, TextField } from "../parts/field.js";
import { Icon, ViewLink } from "../parts/inline.js";
import { range } from "../format/date.js";
import { FilterChips } from "../parts/filter-chips.js";
import type { StartInfo } from "./beginning.js";
import { THEMES, useViewState, type Theme } from "./use-view-state.js";
import { Mark } from "./mark.js";

/** The time zones of the browser, UTC first. */
const ZONES: readonly string[] = ["UTC", ...Intl.supportedValuesOf("timeZone").filter((name) => name !== "UTC")];

const PERIOD_NAMES = [...(Object.entries(PERIODS) as [PeriodName, string][]), ["custom", "Custom…"] as const] as const;
const COMPARE_NAMES = [
  ["previous", "vs. previous period"],
  ["year", "vs. a year ago"],
  ["none", "No comparison"],
] as const;
const UNIT_NAMES = {
  hour: "By hour",
  day: "By day",
  week: "By week",
  month: "By month",
  quarter: "By quarter",
  year: "By year",
} as const;

/** Controls for the period and the filters; only those that the view uses. */
function ToolBar({ view }: { readonly view: ViewEntry }) {
  const { viewState, scope, extent, go } = usePage();
  const { period } = viewState;
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
        {view.controls.includes("period") && <span class="faint">{range(scope)}</span>}
      </div>
      <div class="tools">
        {view.controls.includes("period") && (
          <Select label="Period" isBare value={typeof period === "string" ? period : "custom"} names={PERIOD_NAMES} onChoose={choose} />
        )}
        {view.controls.includes("period") && typeof period !== "string" && (
          <Days period={period} onChoose={(days) => go({ ...viewState, period: days })} />
        )}
        {view.controls.includes("compare") && (
          <Select label="Comparison" isBare value={viewState.compare} names={COMPARE_NAMES} onChoose={(compare) => go({ ...viewState, compare })} />
        )}
        {view.controls.includes("interval") && (
          <Select
            label="Interval"
            isBare
            value={viewState.interval}
            names={INTERVALS.map((name) => [name, name === "auto" ? `Auto: ${UNIT_NAMES[autoUnit].toLowerCase()}` : UNIT_NAMES[name]])}
            onChoose={(interval) => go({ ...viewState, interval })}
          />
        )}
        {view.controls.includes("period") && (
          <Select
            label="Time zone"
            isBare
            value={scope.zone}
            names={zones.map((name) => [name, name.replaceAll("_", " ")])}
            onChoose={(zone) => go({ ...viewState, zone })}
          />
        )}
      </div>
      {view.controls.includes("filters") && <FilterChips filters={viewState.filters} onChange={(filters) => go({ ...viewState, filters })} />}
    </div>
  );
}

interface DaysProps {
  readonly period: Exclude<Period, string>;
  readonly onChoose: (period: Period) => void;
}

function Days({ period: { from, to }, onChoose }: DaysProps) {
  const commit = (first: string, last: string) => {
    if (isDay(first) && isDay(last)) onChoose(first <= last ? { from: first, to: last } : { from: last, to: first });
  };
  return (
    <>
      <TextField label="From" isBare type="date" value={from} onCommit={(day) => commit(day, to)} />
      <TextField label="To" isBare type="date" value={to} onCommit={(day) => commit(from, day)} />
    </>
  );
}

interface SideBarProps {
  readonly projects: readonly string[];
  readonly theme: Theme;
  readonly onTheme: (theme: Theme) => void;
  readonly onSignOut: () => void;
}

const THEME_NAMES = { auto: "Auto", light: "Light", dark: "Dark" } as const;

/** Project, views, colors and sign-out. */
function SideBar({ projects, theme, onTheme, onSignOut }: SideBarProps) {
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
          names={projects.map((name) => [name, name])}
          onChoose={(project) => go({ ...viewState, project })}
        />
      </div>
      <nav aria-label="Views" ref={links}>
        {shown.map(({ name, title }) => (
          <ViewLink key={name} to={switchView(viewState, name)} class="nav-link" isCurrent={name === viewState.view}>
            <Icon name={name} /> <span>{title}</span>
          </ViewLink>
        ))}
      </nav>
      <div class="side-foot">
        <span class="colors">
          <Icon name="sun" />
          <Select label="Colors" isBare value={theme} names={THEMES.map((name) => [name, THEME_NAMES[name]])} onChoose={onTheme} />
        </span>
        <button type="button" class="quiet" onClick={onSignOut} title={`${token.organization}, ${token.role}`}>
          <Icon name="out" /> <span>Sign out</span>
        </button>
      </div>
    </aside>
  );
}

/** Changes within this time cause one refresh. */
const BATCH_MS = 1_000;
/** Refresh interval without changes: the number of people online still changes. */
const IDLE_MS = 60_000;

/** A counter that increases when data of the project changes, and every minute, while the page is visible. */
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

export interface FrameProps extends StartInfo {
  readonly client: ApiClient;
  readonly theme: Theme;
  readonly themeShown: string;
  readonly onTheme: (theme: Theme) => void;
  readonly onSignOut: () => void;
}

/** The views and the controls around them. */
export function Frame({ client, token, projects, firstProject, firstPeriod, theme, themeShown, onTheme, onSignOut }: FrameProps) {
  const { viewState: requested, go, replace } = useViewState(firstPeriod);
  const project = projects.includes(requested.project) ? requested.project : firstProject;
  const isOpen = canOpen(token, requested.view);
  const view = isOpen ? requested.view : (VIEWS.find(({ name }) => canOpen(token, name))?.name ?? "overview");
  const viewState = useMemo(() => ({ ...requested, project, view }), [requested, project, view]);
  useEffect(() => {
    if (viewState.project !== requested.project || viewState.view !== requested.view) replace(viewState);
  }, [viewState]);
  const tick = useChanges(client, hasScope(token, "analytics:read") ? project : "");
  const extent = useExtent(client, project, viewState.zone, tick, hasScope(token, "analytics:read"));
  const nowMs = useToday(viewState.zone, tick);
  const scope = useMemo(() => scopeOf(viewState, { nowMs, extent }), [viewState, nowMs, extent]);
  const entry = VIEWS.find(({ name }) => name === view) ?? VIEWS[0];
  useEffect(() => {
    document.title = `${entry.title} · ${project} · Daybook`;
  }, [entry, project]);
  const page: PageContext = { viewState, scope, extent, client, token, tick, theme: themeShown, go };
  const { View } = entry;
  return (
    <Page.Provider value={page}>
      <div class="frame">
        <a class="skip" href="#view">
          Skip to the content
        </a>
        <SideBar projects={projects} theme={theme} onTheme={onTheme} onSignOut={onSignOut} />
        <main id="view" tabIndex={-1}>
          <ToolBar view={entry} />
          <ViewBoundary key={`${view} ${project}`} View={View} />
        </main>
      </div>
    </Page.Provider>
  );
}

/** The range in which the project has events, in whole months. */
function useExtent(client: ApiClient, project: string, zone: string, tick: number, isAllowed: boolean): PageClock["extent"] {
  const query = extentQuery(project, zone);
  const [extent, setExtent] = useState(() => extentIn(client.cached(query)?.answer, zone));
  useEffect(() => {
    const cached = client.cached(query);
    const update = (answer: TrendAnswer | undefined) => {
      const next = extentIn(answer, zone);
      setExtent((before) => (JSON.stringify(before) === JSON.stringify(next) ? before : next));
    };
    if (cached !== null) update(cached.answer);
    if (!isAllowed || cached?.isFresh === true) return;
    const abort = new AbortController();
    client.query(query, abort.signal).then(update, () => undefined);
    return () => abort.abort();
  }, [client, project, zone, tick]);
  return extent;
}

function extentIn(answer: TrendAnswer | undefined, zone: string): PageClock["extent"] {
  const [first, last] = [answer?.buckets[0], answer?.buckets.at(-1)];
  const lastEnd = last?.end ?? null;
  return first?.local && lastEnd !== null ? { from: `${first.local}-01`, to: dayIn(zone, Date.parse(lastEnd)) } : null;
}

/** The current time, updated only when the day in the zone changes, or with `tick`. */
function useToday(zone: string, tick: number): number {
  const nowMs = Date.now();
  const today = dayIn(zone === "" ? "UTC" : zone, nowMs);
  return useMemo(() => nowMs, [today, zone, tick]);
}

/** Shows a view; an error in it does not affect the rest of the page. */
function ViewBoundary({ View }: { readonly View: ComponentType }) {
  const [error, retry] = useErrorBoundary((thrown: unknown) => console.error(thrown));
  if (error === undefined) return <View />;
  return (
    <section class="panel" aria-label="Error">
      <Empty title="This view failed">
        <p>It cannot display the response. The numbers are still available with curl.</p>
        <p>
          <button type="button" class="button" onClick={retry}>
            Try again
          </button>
        </p>
      </Empty>
    </section>
  );
}
