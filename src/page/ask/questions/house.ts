import type { ByProjectAnswer, HealthAnswer, PrivacyAnswer, ShownRequest, ProjectsAnswer, SegmentsAnswer, StatsAnswer, TokenAnswer } from "../answers.js";
import { get, post, type PageQuery } from "../question.js";
import { personQuery } from "./people.js";

export const tokenQuestion: PageQuery<TokenAnswer> = get("/v1/token");
export const projectsQuestion: PageQuery<ProjectsAnswer> = get("/v1/projects");

/** Number of events per project, most first. @param since ISO 8601; null: of all time */
export function byProjectQuestion(since: string | null): PageQuery<ByProjectAnswer> {
  return post("/analytics/aggregate", { field: "project", ...(since !== null && { start_date: since }) });
}

export const segmentsQuestion: PageQuery<SegmentsAnswer> = get("/v1/segments");
export const statsQuestion: PageQuery<StatsAnswer> = get("/v1/stats");
export const healthQuestion: PageQuery<HealthAnswer> = get("/healthz");
export const privacyQuestion: PageQuery<PrivacyAnswer> = get("/v1/privacy-requests");

export function newRequestQuestion(type: ShownRequest["type"], person: string, regulation: ShownRequest["regulation"]): PageQuery<ShownRequest> {
  return post("/v1/privacy-requests", { type, subject: personQuery(person), regulation });
}

type PrivacyStep = "verify" | "acknowledge" | "extend";

export function stepQuestion(id: string, step: PrivacyStep): PageQuery<ShownRequest> {
  return post(`/v1/privacy-requests/${encodeURIComponent(id)}/${step}`, {});
}

export function resolveQuestion(id: string, resolution: NonNullable<ShownRequest["resolution"]>): PageQuery<ShownRequest> {
  return post(`/v1/privacy-requests/${encodeURIComponent(id)}/resolve`, { resolution });
}

/** All data about a person, as JSON lines. */
export function bundleQuestion(id: string): PageQuery<string> {
  return get(`/v1/privacy-requests/${encodeURIComponent(id)}/bundle`);
}
