import { useEffect, useMemo, useState, useErrorBoundary, useRef } from "preact/hooks";
import type { ComponentType } from "preact";
import type { TrendAnswer } from "../ask/answers.js";
import { followChanges, type ApiClient } from "../ask/client.js";
import { extentQuery } from "../ask/queries/overview.js";
import { hasScope, opens } from "../ask/rights.js";
import { Page, type PageContext, usePage } from "../parts/page-context.js";
import { dayIn, isDay, INTERVALS, PERIODS, rangeOf, type Period, type PeriodName } from "../state/period.js";
import { scopeOf, turnTo, type PageClock } from "../state/view-state.js";
import { VIEWS, type ViewEntry } from "../views/table.js";
import { Empty } from "../parts/notice.js";
import { Choice, Entry } from "../parts/field.js";
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

/** Controls for the time and the filters; only those that the view uses. */
function ToolBar({ view }: { readonly view: ViewEntry }) {
  const { picture, scope, extent, go } = usePage();
  const { period } = picture;
  const unitNow = scopeOf({ ...picture, interval: "auto" }, { nowMs: Date.now(), extent }).unit;
  const choose = (chosen: PeriodName | "custom") => {
    const days = rangeOf(period, scope.today);
    const custom = { from: days.from ?? extent?.from ?? scope.today, to: days.to ?? scope.today };
    go({ ...picture, period: chosen === "custom" ? custom : chosen });
  };
  const zones = ZONES.includes(scope.zone) ? ZONES : [scope.zone, ...ZONES];
  return (
    <div class="tool-bar">
      <div class="tool-title">
        <h1>{view.title}</h1>
        {view.takes.includes("period") && <span class="faint">{range(scope)}</span>}
      </div>
      <div class="tools">
        {view.takes.includes("period") && (
          <Choice label="Period" isBare value={typeof period === "string" ? period : "custom"} names={PERIOD_NAMES} onChoose={choose} />
        )}
        {view.takes.includes("period") && typeof period !== "string" && (
          <Days period={period} onChoose={(days) => go({ ...picture, period: days })} />
        )}
        {view.takes.includes("compare") && (
          <Choice label="Comparison" isBare value={picture.compare} names={COMPARE_NAMES} onChoose={(compare) => go({ ...picture, compare })} />
        )}
        {view.takes.includes("interval") && (
          <Choice
            label="Interval"
            isBare
            value={picture.interval}
            names={INTERVALS.map((name) => [name, name === "auto" ? `Auto: ${UNIT_NAMES[unitNow].toLowerCase()}` : UNIT_NAMES[name]])}
            onChoose={(interval) => go({ ...picture, interval })}
          />
        )}
        {view.takes.includes("period") && (
          <Choice
            label="Time zone"
            isBare
            value={scope.zone}
            names={zones.map((name) => [name, name.replaceAll("_", " ")])}
            onChoose={(zone) => go({ ...picture, zone })}
          />
        )}
      </div>
      {view.takes.includes("filters") && <FilterChips filters={picture.filters} onChange={(filters) => go({ ...picture, filters })} />}
    </div>
  );
}

interface DaysProps {
  readonly period: Exclude<Period, string>;
  readonly onChoose: (period: Period) => void;
}

function Days({ period: { from, to }, onChoose }: DaysProps) {
  const settle = (first: string, last: string) => {
    if (isDay(first) && isDay(last)) onChoose(first <= last ? { from: first, to: last } : { from: last, to: first });
  };
  return (
    <>
      <Entry label="From" isBare type="date" value={from} onSettle={(day) => settle(day, to)} />
      <Entry label="To" isBare type="date" value={to} onSettle={(day) => settle(from, day)} />
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

/** Project, views, colours and sign-out. */
function SideBar({ projects, theme, onTheme, onSignOut }: SideBarProps) {
  const { picture, token, go } = usePage();
  const links = useRef<HTMLElement>(null);
  useEffect(() => {
    // On small screens the links are one line, in which the current one may be out of sight.
    const current = links.current?.querySelector<HTMLElement>("[aria-current]");
    if (current && links.current) links.current.scrollLeft = current.offsetLeft - links.current.clientWidth / 2;
  }, [picture.view]);
  const shown = VIEWS.filter(({ name }) => opens(token, name));
  return (
    <aside class="side" aria-label="Daybook">
      <div class="side-head">
        <Mark />
        <Choice
          label="Project"
          isBare
          value={picture.project}
          names={projects.map((name) => [name, name])}
          onChoose={(project) => go({ ...picture, project })}
        />
      </div>
      <nav aria-label="Views" ref={links}>
        {shown.map(({ name, title }) => (
          <ViewLink key={name} to={turnTo(picture, name)} class="nav-link" isCurrent={name === picture.view}>
            <Icon name={name} /> <span>{title}</span>
          </ViewLink>
        ))}
      </nav>
      <div class="side-foot">
        <span class="colours">
          <Icon name="sun" />
          <Choice label="Colours" isBare value={theme} names={THEMES.map((name) => [name, THEME_NAMES[name]])} onChoose={onTheme} />
        </span>
        <button type="button" class="quiet" onClick={onSignOut} title={`${token.organization}, ${token.role}`}>
          <Icon name="out" /> <span>Sign out</span>
        </button>
      </div>
    </aside>
  );
}

/** Changes within this time are handled as one. */
const GATHER_MS = 1_000;
/** The number of people online changes even if nothing is stored. */
const IDLE_MS = 60_000;

/** A counter that goes up when something was stored in the project, or a minute has passed, while the page is visible. */
function useChanges(client: ApiClient, project: string): number {
  const [tick, setTick] = useState(0);
  useEffect(() => {
    if (project === "") return;
    const abort = new AbortController();
    let gathering: ReturnType<typeof setTimeout> | null = null;
    const bump = () => {
      gathering = null;
      if (document.hidden) return;
      client.stale();
      setTick((count) => count + 1);
    };
    const gather = () => {
      gathering ??= setTimeout(bump, GATHER_MS);
    };
    const onSeen = () => (document.hidden ? undefined : gather());
    const idle = setInterval(gather, IDLE_MS);
    document.addEventListener("visibilitychange", onSeen);
    void followChanges(client, project, abort.signal, gather);
    return () => {
      abort.abort();
      clearInterval(idle);
      if (gathering !== null) clearTimeout(gathering);
      document.removeEventListener("visibilitychange", onSeen);
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
  const { picture: told, go, settle } = useViewState(firstPeriod);
  const project = projects.includes(told.project) ? told.project : firstProject;
  const isOpen = opens(token, told.view);
  const view = isOpen ? told.view : (VIEWS.find(({ name }) => opens(token, name))?.name ?? "overview");
  const picture = useMemo(() => ({ ...told, project, view }), [told, project, view]);
  useEffect(() => {
    if (picture.project !== told.project || picture.view !== told.view) settle(picture);
  }, [picture]);
  const tick = useChanges(client, hasScope(token, "analytics:read") ? project : "");
  const extent = useExtent(client, project, picture.zone, tick, hasScope(token, "analytics:read"));
  const nowMs = useToday(picture.zone, tick);
  const scope = useMemo(() => scopeOf(picture, { nowMs, extent }), [picture, nowMs, extent]);
  const entry = VIEWS.find(({ name }) => name === view) ?? VIEWS[0];
  useEffect(() => {
    document.title = `${entry.title} · ${project} · Daybook`;
  }, [entry, project]);
  const page: PageContext = { picture, scope, extent, client, token, tick, theme: themeShown, go };
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
          <ViewPlace key={`${view} ${project}`} View={View} />
        </main>
      </div>
    </Page.Provider>
  );
}

/** The time in which the project has events, by month, which is precise enough. */
function useExtent(client: ApiClient, project: string, zone: string, tick: number, isAllowed: boolean): PageClock["extent"] {
  const query = extentQuery(project, zone);
  const [extent, setExtent] = useState(() => extentIn(client.known(query)?.answer, zone));
  useEffect(() => {
    const known = client.known(query);
    const settle = (answer: TrendAnswer | undefined) => {
      const next = extentIn(answer, zone);
      setExtent((before) => (JSON.stringify(before) === JSON.stringify(next) ? before : next));
    };
    if (known !== null) settle(known.answer);
    if (!isAllowed || known?.isFresh === true) return;
    const abort = new AbortController();
    client.ask(query, abort.signal).then(settle, () => undefined);
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

/** Shows a view; an error in it leaves the rest of the page intact. */
function ViewPlace({ View }: { readonly View: ComponentType }) {
  const [broken, again] = useErrorBoundary((thrown: unknown) => console.error(thrown));
  if (broken === undefined) return <View />;
  return (
    <section class="panel" aria-label="Error">
      <Empty title="This view failed">
        <p>It cannot display the response. The numbers are still available with curl.</p>
        <p>
          <button type="button" class="button" onClick={again}>
            Try again
          </button>
        </p>
      </Empty>
    </section>
  );
}
