import type { ByProjectAnswer, HealthAnswer, PrivacyAnswer, PrivacyRequest, ProjectsAnswer, SegmentsAnswer, StatsAnswer, TokenAnswer } from "../answers.js";
import { get, post, type Question } from "../question.js";
import { personQuery } from "./people.js";

export const tokenQuestion: Question<TokenAnswer> = get("/v1/token");
export const projectsQuestion: Question<ProjectsAnswer> = get("/v1/projects");

/** How many events each project has, the most first. @param since ISO 8601; null: of all time */
export function byProjectQuestion(since: string | null): Question<ByProjectAnswer> {
  return post("/analytics/aggregate", { field: "project", ...(since !== null && { start_date: since }) });
}

export const segmentsQuestion: Question<SegmentsAnswer> = get("/v1/segments");
export const statsQuestion: Question<StatsAnswer> = get("/v1/stats");
export const healthQuestion: Question<HealthAnswer> = get("/healthz");
export const privacyQuestion: Question<PrivacyAnswer> = get("/v1/privacy-requests");

export function newRequestQuestion(type: PrivacyRequest["type"], person: string, regulation: PrivacyRequest["regulation"]): Question<PrivacyRequest> {
  return post("/v1/privacy-requests", { type, subject: personQuery(person), regulation });
}

type PrivacyStep = "verify" | "acknowledge" | "extend";

export function stepQuestion(id: string, step: PrivacyStep): Question<PrivacyRequest> {
  return post(`/v1/privacy-requests/${encodeURIComponent(id)}/${step}`, {});
}

export function resolveQuestion(id: string, resolution: NonNullable<PrivacyRequest["resolution"]>): Question<PrivacyRequest> {
  return post(`/v1/privacy-requests/${encodeURIComponent(id)}/resolve`, { resolution });
}

/** Everything held about a person, as lines of JSON. */
export function bundleQuestion(id: string): Question<string> {
  return get(`/v1/privacy-requests/${encodeURIComponent(id)}/bundle`);
}
