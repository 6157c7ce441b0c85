import type { ByProjectAnswer, ProjectsAnswer, TokenAnswer } from "../ask/answers.js";
import { ApiError, type ApiClient } from "../ask/client.js";
import type { PageQuery } from "../ask/page-query.js";
import { byProjectQuery, projectsQuery, tokenQuery } from "../ask/queries/store.js";
import { extentQuery, webQuery } from "../ask/queries/overview.js";
import { hasScope } from "../ask/rights.js";
import type { PeriodName } from "../state/period.js";
import { scopeOf } from "../state/view-state.js";
import { currentViewState, tellsPeriod } from "./use-view-state.js";

const RECENT_MS = 30 * 86_400_000;

/** What is loaded before anything is shown. */
export interface StartInfo {
  readonly token: TokenAnswer;
  readonly projects: readonly string[];
  /** Used if the address names no project or no period. */
  readonly firstProject: string;
  readonly firstPeriod: PeriodName;
}

/** Starts the most likely queries at once, as far as the address determines them, which saves a round trip. */
export function prefetch(client: ApiClient, signal: AbortSignal): void {
  const picture = currentViewState();
  const ask = (query: PageQuery<unknown>) => void client.ask(query, signal).catch(() => undefined);
  // The default project always exists and is often the only one.
  ask(extentQuery(picture.project === "" ? "default" : picture.project, picture.zone));
  if (picture.view === "overview" && picture.project !== "") ask(webQuery(scopeOf(picture, { nowMs: Date.now(), extent: null })));
}

/** Loads what the token may do and where to begin, with all requests in parallel. @throws ApiError */
export async function learn(client: ApiClient, signal: AbortSignal): Promise<StartInfo> {
  const { project } = currentViewState();
  const nobody: ProjectsAnswer = { projects: [] };
  // Without the right to list projects, the token's own project is used.
  const listed = client.ask(projectsQuery, signal).catch((thrown: unknown) => {
    if (thrown instanceof ApiError && thrown.status === 403) return nobody;
    throw thrown;
  });
  const counted = (since: string | null) => client.ask(byProjectQuery(since), signal).catch(() => null);
  const sizes = project === "" ? counted(null) : null;
  const recent = tellsPeriod() ? null : counted(new Date(Date.now() - RECENT_MS).toISOString());
  const [token, { projects }] = await Promise.all([client.ask(tokenQuery, signal), listed]);
  const own = token.project ?? "default";
  if (!hasScope(token, "analytics:read")) return { token, projects: [own], firstProject: own, firstPeriod: "30d" };
  const isNamed = projects.includes(project);
  const firstProject = isNamed ? project : busiest(projects, await (sizes ?? counted(null)));
  return { token, projects, firstProject, firstPeriod: isPast(firstProject, await recent) ? "all" : "30d" };
}

/** The project with the most events: "default" exists even if it is empty. */
function busiest(projects: readonly string[], sizes: ByProjectAnswer | null): string {
  const [most] = sizes?.data ?? [];
  return most !== undefined && projects.includes(most.property) ? most.property : (projects[0] ?? "default");
}

/** Whether a project has no recent events. */
function isPast(project: string, recent: ByProjectAnswer | null): boolean {
  return recent !== null && !recent.data.some(({ property }) => property === project);
}
