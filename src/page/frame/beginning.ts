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

/** What is known before anything is shown. */
export interface Beginning {
  readonly token: TokenAnswer;
  readonly projects: readonly string[];
  /** Shown where the address names no project, and no period. */
  readonly firstProject: string;
  readonly firstPeriod: PeriodName;
}

/** Asks at once what will be asked most likely, as far as the address tells: it is shown a round trip earlier. */
export function askAhead(client: ApiClient, signal: AbortSignal): void {
  const picture = pictureHere();
  const ask = (question: PageQuery<unknown>) => void client.ask(question, signal).catch(() => undefined);
  // The project that is always there is often the only one.
  ask(extentQuestion(picture.project === "" ? "default" : picture.project, picture.zone));
  if (picture.view === "overview" && picture.project !== "") ask(webQuestion(scopeOf(picture, { nowMs: Date.now(), extent: null })));
}

/** What the token may do, and where to begin: all that this takes is asked at once. @throws Trouble */
export async function learn(client: ApiClient, signal: AbortSignal): Promise<Beginning> {
  const { project } = pictureHere();
  const nobody: ProjectsAnswer = { projects: [] };
  // A token without the right to list projects is told by its own project.
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

/** The project with the most events: "default" is there also where nothing is in it. */
function busiest(projects: readonly string[], sizes: ByProjectAnswer | null): string {
  const [most] = sizes?.data ?? [];
  return most !== undefined && projects.includes(most.property) ? most.property : (projects[0] ?? "default");
}

/** Whether a project has nothing recent to show. */
function isPast(project: string, recent: ByProjectAnswer | null): boolean {
  return recent !== null && !recent.data.some(({ property }) => property === project);
}
