import type {
  CompanyTopUsers,
  IdentityDeviceGeo,
  IdentityProfile,
  IdentityReferrers,
  IdentitySessionsPage,
  LtvCohorts,
  RevenueByAttribution,
  TopCompanies,
} from "../../src/plan/answers.js";

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

interface ReportAnswers {
  readonly identitySessions: IdentitySessionsPage;
  readonly identityProfile: IdentityProfile;
  readonly identityReferrers: IdentityReferrers;
  readonly identityDeviceGeo: IdentityDeviceGeo;
  readonly revenueByAttribution: RevenueByAttribution;
  readonly ltvCohorts: LtvCohorts;
  readonly topCompanies: TopCompanies;
  readonly companyTopUsers: CompanyTopUsers;
}

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
};
