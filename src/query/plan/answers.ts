import type { EventRecord, FoundEvent } from "../../core/schema/event.js";

// Results of the reports about events, identities, revenue and companies, as camelCase twins of the wire. Instants: ISO 8601, UTC, milliseconds.

export interface SessionItem {
  readonly sessionId: string;
  readonly project: string;
  readonly startedAt: string;
  readonly endedAt: string;
  /** Seconds with three decimals, from the first event to the last. */
  readonly durationSec: number;
  readonly events: number;
  readonly pageviews: number;
  /** A session of exactly one event. */
  readonly isBounce: boolean;
  readonly entryUrl: string | null;
  /** Of the last event that has a url. */
  readonly exitUrl: string | null;
  readonly referrer: string | null;
  readonly utmSource: string | null;
  readonly utmMedium: string | null;
  readonly utmCampaign: string | null;
  readonly device: string | null;
  readonly os: string | null;
  readonly browser: string | null;
  readonly screen: string | null;
  readonly language: string | null;
  readonly locationCountry: string | null;
  readonly locationRegion: string | null;
  readonly locationCity: string | null;
  /** Net, in major units of the reporting currency. */
  readonly revenue: number;
}

export interface SearchEventsPage<E extends EventRecord = FoundEvent> {
  /** For the next page; null on the last one. */
  readonly cursor: string | null;
  readonly events: readonly E[];
}

export interface IdentitySessionsPage {
  readonly identityId: string;
  /** Newest first. */
  readonly sessions: readonly SessionItem[];
  /** For the next page; null on the last one. */
  readonly cursor: string | null;
}

export interface IdentityProfile {
  readonly identityId: string;
  readonly events: number;
  readonly pageviews: number;
  readonly sessions: number;
  readonly durationAvgSec: number | null;
  readonly durationP90Sec: number | null;
  /** 0 to 1, four decimals. */
  readonly bounceRate: number | null;
  readonly activeDays: number;
  /** All-time, whatever the window; null for an identity without events. */
  readonly firstSeen: string | null;
  readonly lastSeen: string | null;
  readonly revenue: number;
  readonly currency: string;
}

export interface IdentityReferrers {
  readonly identityId: string;
  readonly referrers: readonly { readonly referrer: string; readonly count: number }[];
}

/** Where a person was and on what device; null where not set. */
export interface DeviceGeo {
  readonly device: string | null;
  readonly os: string | null;
  readonly browser: string | null;
  readonly screen: string | null;
  readonly language: string | null;
  readonly locationCountry: string | null;
  readonly locationRegion: string | null;
  readonly locationCity: string | null;
  readonly locationLat: string | null;
  readonly locationLon: string | null;
}

export interface IdentityDeviceGeo {
  readonly identityId: string;
  /** Of the newest event in the window that has any of the fields. */
  readonly current: (DeviceGeo & { readonly seenAt: string }) | null;
  /** Distinct combinations, last seen first. Coordinates are not compared; they are those of the newest event of each. */
  readonly history: readonly (DeviceGeo & { readonly firstSeen: string; readonly lastSeen: string; readonly events: number })[];
}

/** Money in a currency without a known rate: never added to the rest. */
export interface UnconvertedItem {
  readonly currency: string;
  readonly revenue: number;
  readonly orders: number;
}

export interface RevenueByAttribution {
  readonly currency: string;
  readonly rows: readonly { readonly dimension: string; readonly revenue: number; readonly orders: number }[];
  readonly unconverted: readonly UnconvertedItem[];
}

export interface LtvCohorts {
  readonly currency: string;
  /** Newest month first. */
  readonly cohorts: readonly {
    /** `YYYY-MM`, UTC. */
    readonly cohort: string;
    readonly entities: number;
    readonly revenue: number;
    readonly orders: number;
    /** revenue / entities. */
    readonly ltv: number;
  }[];
  readonly unconverted: readonly UnconvertedItem[];
}

export interface TopCompanies {
  readonly currency: string;
  readonly companies: readonly {
    readonly companyId: string;
    readonly name: string;
    readonly domain: string | null;
    readonly events: number;
    /** Distinct identified identities. */
    readonly users: number;
    readonly lastSeen: string;
    readonly revenue: number;
  }[];
}

export interface CompanyTopUsers {
  readonly companyId: string;
  readonly users: readonly { readonly resolvedIdentifier: string; readonly events: number; readonly lastSeen: string }[];
}
