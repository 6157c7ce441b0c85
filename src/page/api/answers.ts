import type { answers } from "../../http/shapes/answers.js";
import type { insightAnswers } from "../../http/shapes/insights.js";
import type { privacyAnswers } from "../../http/shapes/privacy-shape.js";
import type { reportAnswers } from "../../http/shapes/reports.js";

/* Response types of routes, derived from their shapes. */

type AnswerOf<S extends { readonly _output: unknown }> = S["_output"];

export type WebAnswer = AnswerOf<(typeof insightAnswers)["webOverview"]>;
export type TrendAnswer = AnswerOf<(typeof insightAnswers)["trend"]>;
export type FunnelAnswer = AnswerOf<(typeof insightAnswers)["funnel"]>;
export type RetentionAnswer = AnswerOf<(typeof insightAnswers)["retention"]>;
export type LifecycleAnswer = AnswerOf<(typeof insightAnswers)["lifecycle"]>;
export type StickinessAnswer = AnswerOf<(typeof insightAnswers)["stickiness"]>;
export type PathsAnswer = AnswerOf<(typeof insightAnswers)["paths"]>;
export type SessionsAnswer = AnswerOf<(typeof insightAnswers)["sessionsOverview"]>;
export type TrendBucket = TrendAnswer["buckets"][number];
export type TrendLine = TrendAnswer["series"][number];
export type ShownFunnelStep = FunnelAnswer["steps"][number];

export type SearchAnswer = AnswerOf<(typeof answers)["search"]>;
export type ShownEvent = SearchAnswer["events"][number];
export type HealthAnswer = AnswerOf<(typeof answers)["health"]>;

export type ProfileAnswer = AnswerOf<(typeof reportAnswers)["profile"]>;
export type PersonSessionsAnswer = AnswerOf<(typeof reportAnswers)["sessions"]>;
export type ShownSession = PersonSessionsAnswer["sessions"][number];
export type ReferrersAnswer = AnswerOf<(typeof reportAnswers)["referrers"]>;
export type DevicesAnswer = AnswerOf<(typeof reportAnswers)["deviceGeo"]>;
export type AttributionAnswer = AnswerOf<(typeof reportAnswers)["byAttribution"]>;
export type CohortsAnswer = AnswerOf<(typeof reportAnswers)["ltvCohorts"]>;
export type CompaniesAnswer = AnswerOf<(typeof reportAnswers)["topCompanies"]>;
export type CompanyUsersAnswer = AnswerOf<(typeof reportAnswers)["companyTopUsers"]>;
export type ShownUnconverted = TrendAnswer["unconverted"];

export type ShownRequest = AnswerOf<(typeof privacyAnswers)["record"]>;
export type PrivacyAnswer = AnswerOf<(typeof privacyAnswers)["list"]>;

export interface ProjectsAnswer {
  readonly projects: readonly string[];
}

export type ByProjectAnswer = AnswerOf<(typeof answers)["aggregate"]>;

export interface SegmentsAnswer {
  readonly segments: readonly { readonly name: string }[];
}

export type StatsAnswer = Readonly<Record<string, unknown>> & { readonly health: string; readonly event_count: number };

/** `GET /v1/token`. */
export interface TokenAnswer {
  readonly organization: string;
  readonly project: string | null;
  readonly role: "owner" | "admin" | "member" | "viewer";
  readonly scopes: readonly string[];
}
