import type { ProjectsAnswer, TokenAnswer } from "../ask/answers.js";
import type { Client } from "../ask/client.js";
import { projectsQuestion, tokenQuestion } from "../ask/questions/house.js";
import { extentQuestion, webQuestion } from "../ask/questions/overview.js";
import { hasScope } from "../ask/rights.js";
import { Trouble } from "../ask/trouble.js";
import type { PeriodName } from "../state/period.js";
import { scopeOf } from "../state/scope.js";
import { pictureHere, tellsPeriod } from "./use-picture.js";

/** Projects that are looked into for events, where the address names none. */
const LOOKED_INTO = 8;
const DAY_MS = 86_400_000;

/** What is known before anything is shown. */
export interface Beginning {
  readonly token: TokenAnswer;
  readonly projects: readonly string[];
  /** Shown where the address names no project, and no period. */
  readonly firstProject: string;
  readonly firstPeriod: PeriodName;
}

/** The overview asks at once what it will ask anyway, where the address says of what: it is shown a round trip earlier. */
export function askAhead(client: Client, signal: AbortSignal): void {
  const picture = pictureHere();
  if (picture.view !== "overview" || picture.project === "" || !tellsPeriod()) return;
  client.ask(webQuestion(scopeOf(picture, { nowMs: Date.now(), extent: null })), signal).catch(() => undefined);
}

/** What the token may do, and where to begin. @throws Trouble */
export async function learn(client: Client, signal: AbortSignal): Promise<Beginning> {
  const nobody: ProjectsAnswer = { projects: [] };
  // Both at once; a token without the right to list projects is told by its own project.
  const listed = client.ask(projectsQuestion, signal).catch((thrown: unknown) => {
    if (thrown instanceof Trouble && thrown.status === 403) return nobody;
    throw thrown;
  });
  const [token, { projects }] = await Promise.all([client.ask(tokenQuestion, signal), listed]);
  const own = token.project ?? "default";
  if (!hasScope(token, "analytics:read")) return { token, projects: [own], firstProject: own, firstPeriod: "30d" };
  return { token, projects, ...(await firstOf(client, projects, signal)) };
}

/**
 * The project of the address, else that with the most events, for "default" is there also where nothing is in it; and the last 30 days, or all time
 * where these hold nothing.
 */
async function firstOf(client: Client, projects: readonly string[], signal: AbortSignal): Promise<Pick<Beginning, "firstProject" | "firstPeriod">> {
  const { project, zone } = pictureHere();
  const isNamed = projects.includes(project);
  const [first = "default"] = isNamed ? [project] : projects;
  if (tellsPeriod() && (isNamed || projects.length < 2)) return { firstProject: first, firstPeriod: "30d" };
  const looked = isNamed ? [project] : projects.slice(0, LOOKED_INTO);
  const extents = await Promise.all(looked.map((name) => client.ask(extentQuestion(name, zone), signal).catch(() => null)));
  const counts = extents.map((extent) => extent?.series[0]?.counted ?? 0);
  const at = Math.max(0, counts.indexOf(Math.max(...counts)));
  const last = extents[at]?.buckets.at(-1)?.end ?? null;
  const isPast = last !== null && Date.parse(last) < Date.now() - 30 * DAY_MS;
  return { firstProject: looked[at] ?? first, firstPeriod: isPast ? "all" : "30d" };
}
