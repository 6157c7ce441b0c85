import type { z } from "zod";
import type { Daybook } from "../../engine/daybook.js";
import { type RequiredAccess, requireMember } from "../access/rights.js";
import { guarded, objectBody, type GuardedRoute, type Route } from "../routing/route.js";
import { deletionAnswers as answers, deletionBodies as bodies } from "../shapes/privacy-shape.js";
import { wireNames } from "../wire/wire-names.js";

const RULES = "/v1/time-to-live";
const ACCESS: RequiredAccess = { scope: "events:delete", role: "admin", organizationWide: true };

export const deletionRoutes: readonly Route[] = [
  guarded({
    access: ACCESS,
    method: "DELETE",
    path: "/v1/projects/{project_id}",
    summary: "Deletes a project with all its events; responds when every byte is gone",
    answer: answers.receipt,
    handle: async ({ daybook }, { params }) => wireNames(await requireMember(daybook, "deleteProject").deleteProject(params["project_id"] ?? "")),
  }),
  guarded({
    access: ACCESS,
    method: "POST",
    path: "/v1/events/delete",
    summary: "Deletes the events before an instant; responds when every byte is gone",
    body: objectBody(bodies.events),
    answer: answers.receipt,
    handle: async ({ daybook }, { body: { before, project } }) =>
      wireNames(await requireMember(daybook, "deleteEvents").deleteEvents({ before, project: project ?? null })),
  }),
  guarded({
    access: ACCESS,
    path: RULES,
    summary: "Lists the retention rules: for how many days events are kept",
    etag: true,
    answer: answers.rules,
    handle: async ({ daybook }) => ({ rules: await requireMember(daybook, "timeToLive").timeToLive.list() }),
  }),
  guarded({
    access: ACCESS,
    method: "PUT",
    path: RULES,
    summary: "Sets for how many days the events of a project, or of all projects without a rule, are kept",
    body: objectBody(bodies.rule),
    answer: answers.rules,
    handle: async ({ daybook }, { body: { project, days } }) => {
      const { timeToLive } = requireMember(daybook, "timeToLive");
      await timeToLive.set(project ?? null, { days });
      return { rules: await timeToLive.list() };
    },
  }),
  ruleRoute(
    "preview",
    "Counts what the next sweep would delete, optionally under a rule that is not set yet",
    bodies.preview,
    answers.preview,
    async (rules, { project, days }) => await rules.preview(days === null || days === undefined ? undefined : { project: project ?? null, days }),
  ),
  ruleRoute(
    "off",
    "Removes a retention rule",
    bodies.project,
    answers.off,
    async (rules, { project }) => ({ off: await rules.off(project ?? null) }),
  ),
  ruleRoute("sweep", "Deletes all expired events now", bodies.none, answers.receipt, (rules) => rules.sweep()),
];

function ruleRoute<Body extends z.ZodObject>(
  name: string,
  summary: string,
  body: Body,
  answer: z.ZodType,
  act: (rules: Daybook["timeToLive"], body: z.infer<Body>) => Promise<object>,
): GuardedRoute {
  return guarded({
    access: ACCESS,
    method: "POST",
    path: `${RULES}/${name}`,
    summary,
    body: objectBody(body),
    answer,
    handle: async ({ daybook }, { body: sent }) => wireNames(await act(requireMember(daybook, "timeToLive").timeToLive, sent)),
  });
}
