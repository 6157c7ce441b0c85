import type {
  CompanyTopUsers,
  IdentityDeviceGeo,
  IdentityProfile,
  IdentityReferrers,
  IdentitySessionsPage,
  LtvCohorts,
  RevenueByAttribution,
  TopCompanies,
} from "../../src/query/plan/answers.js";
import type { Bucket, FunnelStep, RetentionPeriod, SessionFigures } from "../../src/query/plan/insights/answers.js";
import type * as insights from "../../src/query/reports/lazy-reports.js";
import type { AnswerByReport, ReportName } from "../../src/query/queries.js";

const INSTANT = "2026-03-01T09:30:00.000Z";
const SURROUNDINGS = {
  device: "desktop",
  os: "Linux",
  browser: "Firefox",
  screen: "800x600",
  language: null,
  locationCountry: "DE",
  locationRegion: null,
  locationCity: "Berlin",
};
const DEVICE_GEO = { ...SURROUNDINGS, locationLat: "52.5", locationLon: "13.4" };

const INSIGHT = { definition: `def_${"0f".repeat(16)}`, asOf: 7 };
const BUCKET: Bucket = { start: "2026-03-28T23:00:00.000Z", end: "2026-03-29T21:59:59.999Z", local: "2026-03-29", partial: false };
const SERIES = { values: ["DE"], counted: 3, total: -1.5, data: [null] };
const TREND = { buckets: [BUCKET], series: [SERIES], rest: { ...SERIES, values: [] }, valueCount: 2, unconverted: [{ currency: "JPY", revenue: 100, orders: 1 }] };
const STEPS: readonly FunnelStep[] = [
  { name: "signup", entities: 9, conversionRate: 1, stepRate: 1, dropOffs: 5, fromPrevious: null, fromEntry: null },
  {
    name: "Paid",
    entities: 4,
    conversionRate: 0.4444,
    stepRate: 0.4444,
    dropOffs: 0,
    fromPrevious: { avgSec: 60.5, medianSec: 58, p90Sec: 71.2 },
    fromEntry: { avgSec: 60.5, medianSec: 58, p90Sec: 71.2 },
  },
];
const PERIODS: readonly RetentionPeriod[] = [{ of: 4, entities: 4, rate: 1, incomplete: false }, { of: 4, entities: null, rate: null, incomplete: true }];
const FIGURES: SessionFigures = {
  sessions: 7,
  users: 3,
  events: 20,
  pageviews: 15,
  bounces: 3,
  bounceRate: 0.4286,
  durationAvgSec: 61.5,
  durationMedianSec: 30,
  durationP90Sec: 120,
  pagesPerSession: 2.1429,
};
const PAGES = [{ value: "/", sessions: 7, bounces: 3, bounceRate: 0.4286 }];
const WEB = { visitors: 3, views: 15, visits: 7, viewsPerVisit: 2.1429, bounceRate: 0.4286, durationAvgSec: null };
const VISITS = [{ value: "/", visitors: 3, visits: 7 }];

/** As routes show them. */
interface ShownAnswers {
  readonly identitySessions: IdentitySessionsPage;
  readonly identityProfile: IdentityProfile;
  readonly identityReferrers: IdentityReferrers;
  readonly identityDeviceGeo: IdentityDeviceGeo;
  readonly revenueByAttribution: RevenueByAttribution;
  readonly ltvCohorts: LtvCohorts;
  readonly topCompanies: TopCompanies;
  readonly companyTopUsers: CompanyTopUsers;
}

interface ReportAnswers extends ShownAnswers, Pick<AnswerByReport, Exclude<Extract<keyof typeof insights, ReportName>, keyof ShownAnswers>> {}

/** An answer of each report with every member that there is. */
export const REPORT_ANSWERS: ReportAnswers = {
  identitySessions: {
    identityId: "idn_1",
    sessions: [
      {
        sessionId: "ses_1",
        project: "shop",
        startedAt: INSTANT,
        endedAt: INSTANT,
        durationSec: 0,
        events: 1,
        pageviews: 1,
        isBounce: true,
        entryUrl: "/",
        exitUrl: null,
        referrer: null,
        utmSource: "mail",
        utmMedium: null,
        utmCampaign: null,
        ...SURROUNDINGS,
        revenue: 9.5,
      },
    ],
    cursor: "next",
  },
  identityProfile: {
    identityId: "idn_1",
    events: 3,
    pageviews: 2,
    sessions: 1,
    durationAvgSec: 1.5,
    durationP90Sec: null,
    bounceRate: 0.3333,
    activeDays: 1,
    firstSeen: INSTANT,
    lastSeen: null,
    revenue: -2,
    currency: "USD",
  },
  identityReferrers: { identityId: "idn_1", referrers: [{ referrer: "https://example.org/", count: 2 }] },
  identityDeviceGeo: {
    identityId: "idn_1",
    current: { ...DEVICE_GEO, seenAt: INSTANT },
    history: [{ ...DEVICE_GEO, firstSeen: INSTANT, lastSeen: INSTANT, events: 4 }],
  },
  revenueByAttribution: {
    currency: "USD",
    rows: [{ dimension: "(direct)", revenue: 10.5, orders: 1 }],
    unconverted: [{ currency: "JPY", revenue: 100, orders: 1 }],
  },
  ltvCohorts: {
    currency: "USD",
    cohorts: [{ cohort: "2026-03", entities: 2, revenue: 10, orders: 1, ltv: 5 }],
    unconverted: [],
  },
  topCompanies: {
    currency: "USD",
    companies: [{ companyId: "acme", name: "Acme", domain: null, events: 5, users: 2, lastSeen: INSTANT, revenue: 0 }],
  },
  companyTopUsers: { companyId: "acme", users: [{ resolvedIdentifier: "ann@example.org", events: 5, lastSeen: INSTANT }] },
  trend: { ...INSIGHT, ...TREND, previous: TREND, currency: "USD" },
  funnel: { ...INSIGHT, pending: 1, steps: STEPS, rows: [{ values: ["DE"], steps: STEPS }], rest: STEPS, valueCount: 1, trend: [{ bucket: BUCKET, steps: STEPS }] },
  retention: {
    ...INSIGHT,
    cohorts: [{ bucket: BUCKET, size: 4, periods: PERIODS }],
    total: PERIODS,
    rows: [{ values: ["DE"], size: 4, total: PERIODS }],
    rest: PERIODS,
    valueCount: 1,
  },
  lifecycle: { ...INSIGHT, buckets: [{ ...BUCKET, new: 3, returning: 5, resurrecting: 1, dormant: 2 }] },
  stickiness: { ...INSIGHT, buckets: [{ ...BUCKET, entities: 3, avg: 1.3333333333333333, units: [{ units: 1, entities: 2, atLeast: 3 }, { units: 2, entities: 1, atLeast: 1 }] }] },
  paths: {
    ...INSIGHT,
    sessions: 7,
    nodes: [{ step: 1, value: "/", sessions: 7, entries: 7, dropOffs: 3 }],
    edges: [{ step: 1, from: "/", to: "/pricing", sessions: 4 }],
    sequences: [{ values: ["/", "/pricing"], sessions: 4 }],
  },
  sessionsOverview: {
    ...INSIGHT,
    buckets: [{ ...BUCKET, ...FIGURES }],
    total: FIGURES,
    rows: [{ values: ["DE"], figures: FIGURES }],
    rest: FIGURES,
    valueCount: 1,
    entryPages: PAGES,
    exitPages: PAGES,
  },
  webOverview: {
    ...INSIGHT,
    nowOnline: 2,
    figures: WEB,
    previous: WEB,
    chart: [{ ...BUCKET, visitors: 3, views: 15, visits: 7 }],
    pages: [{ value: "/", visitors: 3, views: 15 }],
    entryPages: VISITS,
    exitPages: VISITS,
    sources: VISITS,
    mediums: VISITS,
    campaigns: VISITS,
    countries: VISITS,
    devices: VISITS,
    browsers: VISITS,
    systems: VISITS,
  },
};
