import type { ByProjectAnswer, HealthAnswer, PrivacyAnswer, ShownRequest, ProjectsAnswer, SegmentsAnswer, StatsAnswer, TokenAnswer } from "../answers.js";
import { get, post, type PageQuery } from "../page-query.js";
import { personQuery } from "./people.js";

export const tokenQuery: PageQuery<TokenAnswer> = get("/v1/token");
export const projectsQuery: PageQuery<ProjectsAnswer> = get("/v1/projects");

/** Number of events per project, the largest first. @param since ISO 8601; null: of all time */
export function byProjectQuery(since: string | null): PageQuery<ByProjectAnswer> {
  return post("/analytics/aggregate", { field: "project", ...(since !== null && { start_date: since }) });
}

export const segmentsQuery: PageQuery<SegmentsAnswer> = get("/v1/segments");
export const statsQuery: PageQuery<StatsAnswer> = get("/v1/stats");
export const healthQuery: PageQuery<HealthAnswer> = get("/healthz");
export const privacyQuery: PageQuery<PrivacyAnswer> = get("/v1/privacy-requests");

export function newRequestQuery(type: ShownRequest["type"], person: string, regulation: ShownRequest["regulation"]): PageQuery<ShownRequest> {
  return post("/v1/privacy-requests", { type, subject: personQuery(person), regulation });
}

type PrivacyStep = "verify" | "acknowledge" | "extend";

export function stepQuery(id: string, step: PrivacyStep): PageQuery<ShownRequest> {
  return post(`/v1/privacy-requests/${encodeURIComponent(id)}/${step}`, {});
}

export function resolveQuery(id: string, resolution: NonNullable<ShownRequest["resolution"]>): PageQuery<ShownRequest> {
  return post(`/v1/privacy-requests/${encodeURIComponent(id)}/resolve`, { resolution });
}

/** All data about a person, as JSON lines. */
export function bundleQuery(id: string): PageQuery<string> {
  return get(`/v1/privacy-requests/${encodeURIComponent(id)}/bundle`);
}
