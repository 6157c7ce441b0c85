import { useEffect, useMemo, useState } from "preact/hooks";
import type { TrendAnswer } from "../ask/answers.js";
import type { Client } from "../ask/client.js";
import { extentQuestion } from "../ask/questions/overview.js";
import { hasScope, opens } from "../ask/rights.js";
import { Page, type PageContext } from "../parts/page-context.js";
import { dayIn } from "../state/dates.js";
import { scopeOf, type Moment } from "../state/scope.js";
import { VIEWS } from "../views/table.js";
import type { Beginning } from "./beginning.js";
import { SideBar } from "./side-bar.js";
import type { Theme } from "./theme.js";
import { ToolBar } from "./tool-bar.js";
import { ViewPlace } from "./view-place.js";
import { useChanges } from "./use-changes.js";
import { usePicture } from "./use-picture.js";

export interface FrameProps extends Beginning {
  readonly client: Client;
  readonly theme: Theme;
  readonly themeShown: string;
  readonly onTheme: (theme: Theme) => void;
  readonly onSignOut: () => void;
}

/** The views and what stands around them. */
export function Frame({ client, token, projects, firstProject, firstPeriod, theme, themeShown, onTheme, onSignOut }: FrameProps) {
  const { picture: told, go, settle } = usePicture(firstPeriod);
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
          Skip to the numbers
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

/** From when to when the project has events: as months, which is as near as anybody needs. */
function useExtent(client: Client, project: string, zone: string, tick: number, isAllowed: boolean): Moment["extent"] {
  const question = extentQuestion(project, zone);
  const [extent, setExtent] = useState(() => extentIn(client.known(question)?.answer, zone));
  useEffect(() => {
    const known = client.known(question);
    const settle = (answer: TrendAnswer | undefined) => {
      const next = extentIn(answer, zone);
      setExtent((before) => (JSON.stringify(before) === JSON.stringify(next) ? before : next));
    };
    if (known !== null) settle(known.answer);
    if (!isAllowed || known?.isFresh === true) return;
    const abort = new AbortController();
    client.ask(question, abort.signal).then(settle, () => undefined);
    return () => abort.abort();
  }, [client, project, zone, tick]);
  return extent;
}

function extentIn(answer: TrendAnswer | undefined, zone: string): Moment["extent"] {
  const [first, last] = [answer?.buckets[0], answer?.buckets.at(-1)];
  const lastEnd = last?.end ?? null;
  return first?.local && lastEnd !== null ? { from: `${first.local}-01`, to: dayIn(zone, Date.parse(lastEnd)) } : null;
}

/** A moment of today in the zone, which changes when the day does. */
function useToday(zone: string, tick: number): number {
  const nowMs = Date.now();
  const today = dayIn(zone === "" ? "UTC" : zone, nowMs);
  return useMemo(() => nowMs, [today, zone, tick]);
}
