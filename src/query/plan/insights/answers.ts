import type { UnconvertedItem } from "../answers.js";

/** Results of insights, as camelCase twins of the wire. Instants are ISO 8601 with milliseconds, UTC. */

/** What every insight result contains. */
export interface Insight {
  /** `def_` and 32 hexadecimal digits that identify the meaning of the query: equal definitions mean equal queries. */
  readonly definition: string;
  /** Sequence up to which events and identity records counted, if `asOf` was given; else null. */
  readonly asOf: number | null;
}

/** A calendar unit in the query's time zone, cut to the range. */
export interface Bucket {
  /** First and last millisecond, usable as input dates; null on an open side of `total`. */
  readonly start: string | null;
  readonly end: string | null;
  /** The whole unit: `2026-03-29` (a week: its first day), `2026-03`, `2026-Q1`, `2026`, `2026-10-25T02:00+01:00`; null for `total`. */
  readonly local: string | null;
  /** Whether the range cuts the unit, or it is not over. */
  readonly partial: boolean;
}

export interface TrendSeries {
  /** One value per field of the breakdown. */
  readonly values: readonly string[];
  /** Number of items that the figures are computed from. */
  readonly counted: number;
  /** Over the whole range, never computed from buckets. */
  readonly total: number | null;
  /** One figure per bucket. */
  readonly data: readonly (number | null)[];
}

export interface TrendAnswers {
  readonly buckets: readonly Bucket[];
  readonly series: readonly TrendSeries[];
  readonly rest: TrendSeries | null;
  /** Number of combinations of values, shown or not. */
  readonly valueCount: number;
  readonly unconverted: readonly UnconvertedItem[];
}

export interface Trend extends Insight, TrendAnswers {
  readonly previous: TrendAnswers | null;
  readonly currency: string | null;
}

/** Times between the events of chains. */
export interface FunnelTimes {
  readonly avgSec: number;
  readonly medianSec: number;
  readonly p90Sec: number;
}

export interface FunnelStep {
  readonly name: string;
  readonly entities: number;
  /** Relative to step 1, 0 to 1, four decimals; null if no entity entered. */
  readonly conversionRate: number | null;
  /** Relative to the step before. */
  readonly stepRate: number | null;
  readonly dropOffs: number;
  /** Null on step 1, and if no entity arrived. */
  readonly fromPrevious: FunnelTimes | null;
  readonly fromEntry: FunnelTimes | null;
}

export interface Funnel extends Insight {
  /** Entities that may still continue. */
  readonly pending: number;
  readonly steps: readonly FunnelStep[];
  readonly rows: readonly { readonly values: readonly string[]; readonly steps: readonly FunnelStep[] }[] | null;
  readonly rest: readonly FunnelStep[] | null;
  readonly valueCount: number;
  readonly trend: readonly { readonly bucket: Bucket; readonly steps: readonly FunnelStep[] }[] | null;
}

export interface RetentionPeriod {
  /** Members of the cohorts that the period covers. */
  readonly of: number;
  /** Null if the period has not begun. */
  readonly entities: number | null;
  readonly rate: number | null;
  /** Whether the period is not over. */
  readonly incomplete: boolean;
}

export interface Retention extends Insight {
  readonly cohorts: readonly { readonly bucket: Bucket; readonly size: number; readonly periods: readonly RetentionPeriod[] }[];
  readonly total: readonly RetentionPeriod[];
  readonly rows: readonly { readonly values: readonly string[]; readonly size: number; readonly total: readonly RetentionPeriod[] }[] | null;
  readonly rest: readonly RetentionPeriod[] | null;
  readonly valueCount: number;
}

export interface LifecycleBucket extends Bucket {
  readonly new: number;
  readonly returning: number;
  readonly resurrecting: number;
  readonly dormant: number;
}

export interface Lifecycle extends Insight {
  readonly buckets: readonly LifecycleBucket[];
}

export interface StickinessBucket extends Bucket {
  readonly entities: number;
  /** Mean number of active units of an entity. */
  readonly avg: number | null;
  /** Ascending; unit counts without entities are left out. */
  readonly units: readonly { readonly units: number; readonly entities: number; readonly atLeast: number }[];
}

export interface Stickiness extends Insight {
  readonly buckets: readonly StickinessBucket[];
}

export interface PathNode {
  readonly step: number;
  readonly value: string;
  readonly sessions: number;
  /** Sequences that start here. */
  readonly entries: number;
  /** Sequences that end here without being cut. */
  readonly dropOffs: number;
}

export interface PathEdge {
  /** The step that the edge leads from. */
  readonly step: number;
  readonly from: string;
  readonly to: string;
  readonly sessions: number;
}

export interface Paths extends Insight {
  /** Sessions with a sequence. */
  readonly sessions: number;
  readonly nodes: readonly PathNode[];
  readonly edges: readonly PathEdge[];
  readonly sequences: readonly { readonly values: readonly string[]; readonly sessions: number }[];
}

export interface SessionFigures {
  readonly sessions: number;
  readonly users: number;
  readonly events: number;
  readonly pageviews: number;
  readonly bounces: number;
  readonly bounceRate: number | null;
  readonly durationAvgSec: number | null;
  readonly durationMedianSec: number | null;
  readonly durationP90Sec: number | null;
  readonly pagesPerSession: number | null;
}

export interface SessionPage {
  readonly value: string;
  readonly sessions: number;
  readonly bounces: number;
  readonly bounceRate: number | null;
}

export interface SessionsOverview extends Insight {
  readonly buckets: readonly (Bucket & SessionFigures)[];
  readonly total: SessionFigures;
  readonly rows: readonly { readonly values: readonly string[]; readonly figures: SessionFigures }[] | null;
  readonly rest: SessionFigures | null;
  readonly valueCount: number;
  readonly entryPages: readonly SessionPage[];
  readonly exitPages: readonly SessionPage[];
}

export interface WebFigures {
  readonly visitors: number;
  readonly views: number;
  readonly visits: number;
  readonly viewsPerVisit: number | null;
  readonly bounceRate: number | null;
  readonly durationAvgSec: number | null;
}

export interface WebVisits {
  readonly value: string;
  readonly visitors: number;
  readonly visits: number;
}

export interface WebOverview extends Insight {
  /** Identities with an event in the last five minutes, whatever the query. */
  readonly nowOnline: number;
  readonly figures: WebFigures;
  readonly previous: WebFigures | null;
  readonly chart: readonly (Bucket & Pick<WebFigures, "visitors" | "views" | "visits">)[] | null;
  readonly pages: readonly { readonly value: string; readonly visitors: number; readonly views: number }[];
  readonly entryPages: readonly WebVisits[];
  readonly exitPages: readonly WebVisits[];
  readonly sources: readonly WebVisits[];
  readonly mediums: readonly WebVisits[];
  readonly campaigns: readonly WebVisits[];
  readonly countries: readonly WebVisits[];
  readonly devices: readonly WebVisits[];
  readonly browsers: readonly WebVisits[];
  readonly systems: readonly WebVisits[];
}
