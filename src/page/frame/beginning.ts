import type { ByProjectAnswer, ProjectsAnswer, TokenAnswer } from "../ask/answers.js";
import type { ApiClient } from "../ask/client.js";
import type { PageQuery } from "../ask/question.js";
import { byProjectQuestion, projectsQuestion, tokenQuestion } from "../ask/questions/house.js";
import { extentQuestion, webQuestion } from "../ask/questions/overview.js";
import { hasScope } from "../ask/rights.js";
import { Trouble } from "../ask/trouble.js";
import type { PeriodName } from "../state/period.js";
import { scopeOf } from "../state/scope.js";
import { pictureHere, tellsPeriod } from "./use-picture.js";

const RECENT_MS = 30 * 86_400_000;

/** What is loaded before anything is shown. */
export interface Beginning {
  readonly token: TokenAnswer;
  readonly projects: readonly string[];
  /** Used if the address names no project or no period. */
  readonly firstProject: string;
  readonly firstPeriod: PeriodName;
}

/** Starts the most likely queries at once, as far as the address determines them, which saves a round trip. */
export function askAhead(client: ApiClient, signal: AbortSignal): void {
  const picture = pictureHere();
  const ask = (question: PageQuery<unknown>) => void client.ask(question, signal).catch(() => undefined);
  // The default project always exists and is often the only one.
  ask(extentQuestion(picture.project === "" ? "default" : picture.project, picture.zone));
  if (picture.view === "overview" && picture.project !== "") ask(webQuestion(scopeOf(picture, { nowMs: Date.now(), extent: null })));
}

/** Loads what the token may do and where to begin, with all requests in parallel. @throws Trouble */
export async function learn(client: ApiClient, signal: AbortSignal): Promise<Beginning> {
  const { project } = pictureHere();
  const nobody: ProjectsAnswer = { projects: [] };
  // Without the right to list projects, the token's own project is used.
  const listed = client.ask(projectsQuestion, signal).catch((thrown: unknown) => {
    if (thrown instanceof Trouble && thrown.status === 403) return nobody;
    throw thrown;
  });
  const counted = (since: string | null) => client.ask(byProjectQuestion(since), signal).catch(() => null);
  const sizes = project === "" ? counted(null) : null;
  const recent = tellsPeriod() ? null : counted(new Date(Date.now() - RECENT_MS).toISOString());
  const [token, { projects }] = await Promise.all([client.ask(tokenQuestion, signal), listed]);
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
