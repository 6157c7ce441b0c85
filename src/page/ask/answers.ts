import type { answers } from "../../http/shapes/answers.js";
import type { insightAnswers } from "../../http/shapes/insight-answers.js";
import type { privacyAnswers } from "../../http/shapes/privacy-shape.js";
import type { reportAnswers } from "../../http/shapes/report-answers.js";

/* What routes answer, as their shapes describe it. */

type Shown<S extends { readonly _output: unknown }> = S["_output"];

export type WebAnswer = Shown<(typeof insightAnswers)["webOverview"]>;
export type TrendAnswer = Shown<(typeof insightAnswers)["trend"]>;
export type FunnelAnswer = Shown<(typeof insightAnswers)["funnel"]>;
export type RetentionAnswer = Shown<(typeof insightAnswers)["retention"]>;
export type LifecycleAnswer = Shown<(typeof insightAnswers)["lifecycle"]>;
export type StickinessAnswer = Shown<(typeof insightAnswers)["stickiness"]>;
export type PathsAnswer = Shown<(typeof insightAnswers)["paths"]>;
export type SessionsAnswer = Shown<(typeof insightAnswers)["sessionsOverview"]>;
export type Bucket = TrendAnswer["buckets"][number];
export type Series = TrendAnswer["series"][number];
export type FunnelStep = FunnelAnswer["steps"][number];

export type SearchAnswer = Shown<(typeof answers)["search"]>;
export type FoundEvent = SearchAnswer["events"][number];
export type HealthAnswer = Shown<(typeof answers)["health"]>;

export type ProfileAnswer = Shown<(typeof reportAnswers)["profile"]>;
export type PersonSessionsAnswer = Shown<(typeof reportAnswers)["sessions"]>;
export type PersonSession = PersonSessionsAnswer["sessions"][number];
export type ReferrersAnswer = Shown<(typeof reportAnswers)["referrers"]>;
export type DevicesAnswer = Shown<(typeof reportAnswers)["deviceGeo"]>;
export type AttributionAnswer = Shown<(typeof reportAnswers)["byAttribution"]>;
export type CohortsAnswer = Shown<(typeof reportAnswers)["ltvCohorts"]>;
export type CompaniesAnswer = Shown<(typeof reportAnswers)["topCompanies"]>;
export type CompanyUsersAnswer = Shown<(typeof reportAnswers)["companyTopUsers"]>;
export type Unconverted = TrendAnswer["unconverted"];

export type PrivacyRequest = Shown<(typeof privacyAnswers)["record"]>;
export type PrivacyAnswer = Shown<(typeof privacyAnswers)["list"]>;

export interface ProjectsAnswer {
  readonly projects: readonly string[];
}

export type ByProjectAnswer = Shown<(typeof answers)["aggregate"]>;

export interface SegmentsAnswer {
  readonly segments: readonly { readonly name: string }[];
}

/** Figures of the store by name; some are objects of figures. */
export type StatsAnswer = Readonly<Record<string, unknown>> & { readonly health: string; readonly event_count: number };

/** `GET /v1/token`. */
export interface TokenAnswer {
  readonly organization: string;
  readonly project: string | null;
  readonly role: "owner" | "admin" | "member" | "viewer";
  readonly scopes: readonly string[];
}
