import type { ByProjectAnswer, ProjectsAnswer, TokenAnswer } from "../ask/answers.js";
import { ApiError, type ApiClient } from "../ask/client.js";
import type { PageQuery } from "../ask/page-query.js";
import { byProjectQuery, projectsQuery, tokenQuery } from "../ask/queries/store.js";
import { extentQuery, webQuery } from "../ask/queries/overview.js";
import { hasScope } from "../ask/rights.js";
import type { PeriodName } from "../state/period.js";
import { scopeOf } from "../state/view-state.js";
import { currentViewState, hasPeriod } from "./use-view-state.js";

const RECENT_MS = 30 * 86_400_000;

/** Data that is loaded before anything is shown. */
export interface StartInfo {
  readonly token: TokenAnswer;
  readonly projects: readonly string[];
  /** Defaults if the URL names no project or no period. */
  readonly firstProject: string;
  readonly firstPeriod: PeriodName;
}

/** Starts the first queries that the URL determines, to save a round trip. */
export function prefetch(client: ApiClient, signal: AbortSignal): void {
  const viewState = currentViewState();
  const run = (query: PageQuery<unknown>) => void client.query(query, signal).catch(() => undefined);
  // The default project always exists and is often the only one.
  run(extentQuery(viewState.project === "" ? "default" : viewState.project, viewState.zone));
  if (viewState.view === "overview" && viewState.project !== "") run(webQuery(scopeOf(viewState, { nowMs: Date.now(), extent: null })));
}

/** Loads the rights of the token, and the project and period to show first. Sends all requests in parallel. @throws ApiError */
export async function loadStartInfo(client: ApiClient, signal: AbortSignal): Promise<StartInfo> {
  const { project } = currentViewState();
  const noProjects: ProjectsAnswer = { projects: [] };
  // A token that may not list projects uses its own project.
  const listed = client.query(projectsQuery, signal).catch((thrown: unknown) => {
    if (thrown instanceof ApiError && thrown.status === 403) return noProjects;
    throw thrown;
  });
  const countByProject = (since: string | null) => client.query(byProjectQuery(since), signal).catch(() => null);
  const sizes = project === "" ? countByProject(null) : null;
  const recent = hasPeriod() ? null : countByProject(new Date(Date.now() - RECENT_MS).toISOString());
  const [token, { projects }] = await Promise.all([client.query(tokenQuery, signal), listed]);
  const own = token.project ?? "default";
  if (!hasScope(token, "analytics:read")) return { token, projects: [own], firstProject: own, firstPeriod: "30d" };
  const isNamed = projects.includes(project);
  const firstProject = isNamed ? project : busiest(projects, await (sizes ?? countByProject(null)));
  return { token, projects, firstProject, firstPeriod: hasNoRecentEvents(firstProject, await recent) ? "all" : "30d" };
}

/** The project with the most events. "default" exists even if it is empty. */
function busiest(projects: readonly string[], sizes: ByProjectAnswer | null): string {
  const [largest] = sizes?.data ?? [];
  return largest !== undefined && projects.includes(largest.property) ? largest.property : (projects[0] ?? "default");
}

function hasNoRecentEvents(project: string, recent: ByProjectAnswer | null): boolean {
  return recent !== null && !recent.data.some(({ property }) => property === project);
}
