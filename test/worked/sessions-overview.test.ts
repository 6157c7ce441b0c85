import type { Bucket, Daybook, SessionFigures, SessionPage, SessionsOverviewInput } from "daybook";
import { expect } from "vitest";
import { example, refusal } from "./example.js";

type Ask = (daybook: Daybook) => Promise<unknown>;

/** The given figures of all sessions. */
const total =
  (input: SessionsOverviewInput, ...names: readonly (keyof SessionFigures)[]): Ask =>
  async (daybook) => {
    const figures = (await daybook.sessionsOverview(input)).total;
    return Object.fromEntries(names.map((name) => [name, figures[name]]));
  };

/** The given fields of each bucket. */
const buckets =
  (input: SessionsOverviewInput, ...names: readonly (keyof Bucket | keyof SessionFigures)[]): Ask =>
  async (daybook) =>
    (await daybook.sessionsOverview(input)).buckets.map((bucket) => names.map((name) => bucket[name]));

/** The values and number of sessions of each row. */
const rows =
  (input: SessionsOverviewInput): Ask =>
  async (daybook) =>
    (await daybook.sessionsOverview(input)).rows?.map(({ values, figures }) => [...values, figures.sessions]);

/** The path, sessions and bounces of each page. */
const pages = (list: readonly SessionPage[]) => list.map(({ value, sessions, bounces }) => [value, sessions, bounces]);
const entries =
  (input: SessionsOverviewInput): Ask =>
  async (daybook) =>
    pages((await daybook.sessionsOverview(input)).entryPages);
const exits =
  (input: SessionsOverviewInput): Ask =>
  async (daybook) =>
    pages((await daybook.sessionsOverview(input)).exitPages);

/** The code and parameter of the error that refuses the query. */
const refused = (input: SessionsOverviewInput) => (daybook: Daybook) => refusal(daybook.sessionsOverview(input));

/** Input that selects the sessions with an event that matches one filter. */
const where = (fieldName: string, operator: string, value?: unknown): SessionsOverviewInput => ({
  filterGroups: [{ filters: [{ fieldName, operator, value }] }],
});

const NO_SESSIONS = {
  sessions: 0,
  users: 0,
  events: 0,
  pageviews: 0,
  bounces: 0,
  bounceRate: null,
  durationAvgSec: null,
  durationMedianSec: null,
  durationP90Sec: null,
  pagesPerSession: null,
};

example(
  "The overview has the figures of all sessions, including bounces and durations, and the entry and exit pages.",
  `
  03-02 09:00 ann /home
  03-02 09:01 ann /docs
  03-02 09:02 ann signup url=/welcome
  03-02 10:00 bob /home
  `,
  (daybook) => daybook.sessionsOverview(),
  {
    definition: expect.any(String) as unknown,
    asOf: null,
    buckets: [
      {
        start: null,
        end: null,
        local: null,
        partial: true,
        sessions: 2,
        users: 2,
        events: 4,
        pageviews: 3,
        bounces: 1,
        bounceRate: 0.5,
        durationAvgSec: 60,
        durationMedianSec: 60,
        durationP90Sec: 108,
        pagesPerSession: 1.5,
      },
    ],
    total: {
      sessions: 2,
      users: 2,
      events: 4,
      pageviews: 3,
      bounces: 1,
      bounceRate: 0.5,
      durationAvgSec: 60,
      durationMedianSec: 60,
      durationP90Sec: 108,
      pagesPerSession: 1.5,
    },
    rows: null,
    rest: null,
    valueCount: 0,
    entryPages: [{ value: "/home", sessions: 2, bounces: 1, bounceRate: 0.5 }],
    exitPages: [
      { value: "/home", sessions: 1, bounces: 1, bounceRate: 1 },
      { value: "/welcome", sessions: 1, bounces: 0, bounceRate: 0 },
    ],
  },
);

example("Without sessions, counts are 0, and rates and durations are null.", "", (daybook) => daybook.sessionsOverview(), {
  definition: expect.any(String) as unknown,
  asOf: null,
  buckets: [{ start: null, end: null, local: null, partial: true, ...NO_SESSIONS }],
  total: NO_SESSIONS,
  rows: null,
  rest: null,
  valueCount: 0,
  entryPages: [],
  exitPages: [],
});

example(
  "A breakdown has the figures per value of the first event, and those of the rest.",
  `
  03-02 09:00 ann /home country=DE
  03-02 09:01 ann /docs country=DE
  03-02 10:00 bob /home country=DE
  03-02 11:00 cleo /home country=FR
  03-02 12:00 dora /docs country=IT
  `,
  (daybook) =>
    daybook.sessionsOverview({
      startDate: "2026-03-02",
      endDate: "2026-03-02",
      breakdown: { fields: ["country"], limit: 1, rest: true },
      limit: 1,
    }),
  {
    definition: expect.any(String) as unknown,
    asOf: null,
    buckets: [
      {
        start: "2026-03-02T00:00:00.000Z",
        end: "2026-03-02T23:59:59.999Z",
        local: null,
        partial: false,
        sessions: 4,
        users: 4,
        events: 5,
        pageviews: 5,
        bounces: 3,
        bounceRate: 0.75,
        durationAvgSec: 15,
        durationMedianSec: 0,
        durationP90Sec: 42,
        pagesPerSession: 1.25,
      },
    ],
    total: {
      sessions: 4,
      users: 4,
      events: 5,
      pageviews: 5,
      bounces: 3,
      bounceRate: 0.75,
      durationAvgSec: 15,
      durationMedianSec: 0,
      durationP90Sec: 42,
      pagesPerSession: 1.25,
    },
    rows: [
      {
        values: ["DE"],
        figures: {
          sessions: 2,
          users: 2,
          events: 3,
          pageviews: 3,
          bounces: 1,
          bounceRate: 0.5,
          durationAvgSec: 30,
          durationMedianSec: 30,
          durationP90Sec: 54,
          pagesPerSession: 1.5,
        },
      },
    ],
    rest: {
      sessions: 2,
      users: 2,
      events: 2,
      pageviews: 2,
      bounces: 2,
      bounceRate: 1,
      durationAvgSec: 0,
      durationMedianSec: 0,
      durationP90Sec: 0,
      pagesPerSession: 1,
    },
    valueCount: 3,
    entryPages: [{ value: "/home", sessions: 3, bounces: 2, bounceRate: 0.6667 }],
    exitPages: [{ value: "/docs", sessions: 2, bounces: 1, bounceRate: 0.5 }],
  },
);

example(
  "A gap of exactly 30 minutes does not end a session.",
  `
  03-02 09:00 ann /home
  03-02 09:30:00.000 ann /docs
  `,
  total({}, "sessions", "events"),
  { sessions: 1, events: 2 },
);

example(
  "A gap of more than 30 minutes ends a session, even by one millisecond.",
  `
  03-02 09:00 ann /home
  03-02 09:30:00.001 ann /docs
  `,
  total({}, "sessions", "events"),
  { sessions: 2, events: 2 },
);

example(
  "The gap that ends a session is configurable.",
  `
  03-02 09:00 ann /home
  03-02 09:01 ann /docs
  03-02 09:02:00.001 ann /pricing
  `,
  total({}, "sessions"),
  { sessions: 2 },
  { session: { gapMs: 60_000 } },
);

example(
  "A session includes events up to exactly 24 hours after its start, and a later event starts a new session.",
  `
  03-02 09:00 ann /home
  03-02 21:00 ann /docs
  03-03 09:00:00.000 ann /docs
  03-03 09:00:00.001 ann /docs
  `,
  total({}, "sessions", "bounces"),
  { sessions: 2, bounces: 1 },
  { session: { gapMs: 43_200_000 } },
);

example(
  "A session continues past midnight and counts on the day it starts.",
  `
  03-02 23:50 ann /home
  03-03 00:10 ann /docs
  `,
  buckets({ interval: "day" }, "local", "sessions", "events"),
  [["2026-03-02", 1, 2]],
);

example(
  "A session that continues after the range counts with all its events.",
  `
  03-02 23:50 ann /home
  03-03 00:10 ann /docs
  `,
  total({ startDate: "2026-03-02", endDate: "2026-03-02" }, "sessions", "events", "durationAvgSec"),
  { sessions: 1, events: 2, durationAvgSec: 1200 },
);

example(
  "A session that began before the range does not count.",
  `
  03-02 23:50 ann /home
  03-03 00:10 ann /docs
  03-03 09:00 bob /home
  `,
  total({ startDate: "2026-03-03", endDate: "2026-03-03" }, "sessions", "users", "events"),
  { sessions: 1, users: 1, events: 1 },
);

example(
  "Sessions that start in the first or last millisecond of the range count.",
  `
  03-01 23:59:59.999 ann ping
  03-02 00:00:00.000 bob ping
  03-02 23:59:59.999 cleo ping
  03-03 00:00:00.000 dora ping
  `,
  total({ startDate: "2026-03-02", endDate: "2026-03-02" }, "sessions"),
  { sessions: 2 },
);

example(
  "A person active in two projects at the same time has two sessions.",
  `
  03-02 09:00 ann /home project=web
  03-02 09:01 ann /start project=app
  03-02 09:02 ann /docs project=web
  `,
  total({}, "sessions", "users", "bounces"),
  { sessions: 2, users: 1, bounces: 1 },
);

example(
  "An event in another project does not bridge a gap.",
  `
  03-02 09:00 ann /home project=web
  03-02 09:20 ann /start project=app
  03-02 09:40 ann /docs project=web
  `,
  total({ project: "web" }, "sessions", "bounces"),
  { sessions: 2, bounces: 2 },
);

example(
  "A project counts only its own sessions.",
  `
  03-02 09:00 ann /home project=web
  03-02 09:01 ann /start project=app
  03-02 09:02 ann /docs project=web
  `,
  total({ project: "web" }, "sessions", "events"),
  { sessions: 1, events: 2 },
);

example(
  "A visitor's events before the sign-up and the user's events after it are in one session.",
  `
  03-02 09:00 ~phone /home
  03-02 09:05 ann~phone signup
  03-02 09:10 ann buy
  `,
  total({}, "sessions", "users", "events", "durationAvgSec"),
  { sessions: 1, users: 1, events: 3, durationAvgSec: 600 },
);

example(
  "An alias merges two simultaneous sessions into one.",
  `
  03-02 09:00 annie /home
  03-02 09:10 ann /home
  03-02 09:20 annie /docs
  03-09 09:00 annie alias:ann
  `,
  total({}, "sessions", "users", "events"),
  { sessions: 1, users: 1, events: 3 },
);

example(
  "After an alias is undone, there are two sessions again.",
  `
  03-02 09:00 annie /home
  03-02 09:10 ann /home
  03-02 09:20 annie /docs
  03-09 09:00 annie alias:ann id=merge
  `,
  async (daybook) => {
    const merged = await total({}, "sessions", "users", "bounces")(daybook);
    await daybook.ingestRecords([{ type: "unlink", linkId: "merge" }]);
    return [merged, await total({}, "sessions", "users", "bounces")(daybook)];
  },
  [
    { sessions: 1, users: 1, bounces: 0 },
    { sessions: 2, users: 2, bounces: 1 },
  ],
);

example(
  "A late event joins two sessions into one.",
  `
  03-02 09:00 ann /home
  03-02 09:50 ann /docs
  `,
  async (daybook) => {
    await daybook.ingest([{ name: "scroll", userId: "ann", createdAt: "2026-03-02T09:25:00Z" }]);
    return total({}, "sessions", "events", "durationAvgSec")(daybook);
  },
  { sessions: 1, events: 3, durationAvgSec: 3000 },
);

example(
  "Events with neither a user id nor an anonymous id are in no session.",
  `
  03-02 09:00 ann /home
  03-02 09:01 - /home
  03-02 09:02 - /docs
  `,
  total({}, "sessions", "events", "pageviews"),
  { sessions: 1, events: 1, pageviews: 1 },
);

example(
  "A server-side payment with neither a hostname nor a url is in no session and does not bridge a gap.",
  `
  03-02 09:00 ann /checkout
  03-02 09:20 ann Payment value=10
  03-02 09:40 ann /thanks
  `,
  total({}, "sessions", "events"),
  { sessions: 2, events: 2 },
);

example(
  "A payment with a url is a regular event of the session.",
  `
  03-02 09:00 ann /checkout
  03-02 09:20 ann Payment value=10 url=/pay
  03-02 09:40 ann /thanks
  `,
  total({}, "sessions", "events"),
  { sessions: 1, events: 3 },
);

example(
  "A payment with only a hostname is part of a session.",
  `
  03-02 09:00 ann /checkout
  03-02 09:20 ann Payment value=10 hostname=acme.example
  `,
  total({}, "sessions", "events", "durationAvgSec"),
  { sessions: 1, events: 2, durationAvgSec: 1200 },
);

example(
  "Any event with a numeric metadata revenue is a payment, so without a url it is in no session.",
  `
  03-02 09:00 ann /home
  03-02 09:05 ann upgrade revenue=5
  `,
  total({}, "sessions", "events"),
  { sessions: 1, events: 1 },
);

example(
  "A number in quotes is not an amount, so the event is part of the session.",
  `
  03-02 09:00 ann /home
  03-02 09:05 ann upgrade revenue="5"
  `,
  total({}, "sessions", "events"),
  { sessions: 1, events: 2 },
);

example(
  "An event named Payment without an amount is not a payment, so it is part of the session.",
  `
  03-02 09:00 ann /home
  03-02 09:05 ann Payment
  `,
  total({}, "sessions", "events"),
  { sessions: 1, events: 2 },
);

example(
  "An event with a value of 0 is a payment, so without a url it is in no session.",
  `
  03-02 09:00 ann /home
  03-02 09:05 ann trial value=0
  `,
  async (daybook) => ({ all: await daybook.countEvents(), inSessions: (await daybook.sessionsOverview()).total.events }),
  { all: 2, inSessions: 1 },
);

example(
  "A filter selects the sessions with a matching event, and all their events count.",
  `
  03-02 09:00 ann /home
  03-02 09:01 ann /pricing
  03-02 09:02 ann /docs
  03-02 10:00 bob /home
  `,
  total(where("path", "=", "/pricing"), "sessions", "events", "pageviews"),
  { sessions: 1, events: 3, pageviews: 3 },
);

example(
  "An event name selects the sessions in which it happened.",
  `
  03-02 09:00 ann /home
  03-02 09:01 ann signup
  03-02 10:00 bob /home
  03-02 11:00 ann /docs
  `,
  total({ eventName: "signup" }, "sessions", "events"),
  { sessions: 1, events: 2 },
);

example(
  "The matching event may be after the range if the session starts in it.",
  `
  03-02 23:50 ann /home
  03-03 00:10 ann signup
  `,
  total({ eventName: "signup", endDate: "2026-03-02" }, "sessions", "events"),
  { sessions: 1, events: 2 },
);

example(
  "A breakdown uses the first event of a session, even if only a later event matches the filter.",
  `
  03-02 09:00 ann /home country=DE
  03-02 09:10 ann /docs country=FR
  03-02 10:00 bob /home country=DE
  `,
  rows({ ...where("country", "=", "FR"), breakdown: { fields: ["country"] } }),
  [["DE", 1]],
);

example(
  "A segment selects the sessions of the people in it.",
  `
  03-02 09:00 ann /home
  03-03 09:00 ann buy
  03-04 09:00 bob /home
  `,
  total(
    { ...where("identity_id", "in_segment", "buyers"), segments: { buyers: { groups: [{ conditions: [{ type: "did", eventName: "buy" }] }] } } },
    "sessions",
    "users",
  ),
  { sessions: 2, users: 1 },
);

example(
  "Rows are sorted by sessions, then by value: not set, upper case, lower case.",
  `
  03-02 09:00 ann /home os=iOS
  03-02 10:00 bob /home os=Linux
  03-02 11:00 cleo /home
  03-02 12:00 dora /home os=macOS
  03-02 13:00 ann /home os=macOS
  `,
  rows({ breakdown: { fields: ["os"] } }),
  [
    ["macOS", 2],
    ["", 1],
    ["Linux", 1],
    ["iOS", 1],
  ],
);

example(
  "A breakdown by two fields has a row for each pair that occurs.",
  `
  03-02 09:00 ann /home country=DE device=phone
  03-02 10:00 bob /home country=DE device=phone
  03-02 11:00 cleo /home country=DE device=desktop
  03-02 12:00 dora /home country=FR device=phone
  `,
  rows({ breakdown: { fields: ["country", "device"] } }),
  [
    ["DE", "phone", 2],
    ["DE", "desktop", 1],
    ["FR", "phone", 1],
  ],
);

example(
  "A session whose first event has a list counts once for each element.",
  `
  03-02 09:00 ann /home tags=["blue","red"]
  03-02 10:00 bob /home tags=red
  `,
  rows({ breakdown: { fields: ["tags"] } }),
  [
    ["red", 2],
    ["blue", 1],
  ],
);

example(
  "A session with several values outside the shown rows counts once in the rest, even if another of its values is shown.",
  `
  03-02 09:00 ann /home tags=["blue","green","red"]
  03-02 10:00 bob /home tags=red
  `,
  async (daybook) => {
    const { rows: shown, rest, valueCount } = await daybook.sessionsOverview({ breakdown: { fields: ["tags"], limit: 1, rest: true } });
    return { shown: shown?.map(({ values, figures }) => [...values, figures.sessions]), rest: rest?.sessions, valueCount };
  },
  { shown: [["red", 2]], rest: 1, valueCount: 3 },
);

example(
  "The rest is null by default, and valueCount is the number of values.",
  `
  03-02 09:00 ann /home os=iOS
  03-02 10:00 bob /home os=Linux
  `,
  async (daybook) => {
    const { rows: shown, rest, valueCount } = await daybook.sessionsOverview({ breakdown: { fields: ["os"], limit: 1 } });
    return { shown: shown?.map(({ values }) => values), rest, valueCount };
  },
  { shown: [["Linux"]], rest: null, valueCount: 2 },
);

example(
  "If all values are shown, the rest has no sessions.",
  `
  03-02 09:00 ann /home os=iOS
  `,
  async (daybook) => (await daybook.sessionsOverview({ breakdown: { fields: ["os"], rest: true } })).rest,
  NO_SESSIONS,
);

example(
  "A breakdown by a person's trait uses its current value, including for earlier sessions.",
  `
  03-02 09:00 ann /home
  03-03 09:00 ann /home
  03-03 10:00 bob /home
  03-09 09:00 ann identify plan=pro
  `,
  rows({ breakdown: { fields: ["person.plan"] } }),
  [
    ["pro", 2],
    ["", 1],
  ],
);

example(
  "A later direct session does not change the person's first touch.",
  `
  03-02 09:00 ann /home?utm_source=mail
  03-05 09:00 ann /home
  03-05 10:00 bob /home
  `,
  rows({ breakdown: { fields: ["first_touch.source"] } }),
  [
    ["mail", 2],
    ["(direct)", 1],
  ],
);

example(
  "A session with two events in the same millisecond has a duration of zero but is not a bounce.",
  `
  03-02 09:00 ann /home
  03-02 09:00 ann /docs
  `,
  total({}, "sessions", "bounces", "bounceRate", "durationAvgSec"),
  { sessions: 1, bounces: 0, bounceRate: 0, durationAvgSec: 0 },
);

example(
  "A session whose only event is sent twice with the same id is a bounce.",
  `
  03-02 09:00 ann /home id=e1
  03-02 09:00 ann /home id=e1
  `,
  total({}, "sessions", "bounces"),
  { sessions: 1, bounces: 1 },
);

example(
  "The average is rounded to milliseconds, and percentiles are interpolated: for 1, 1 and 2 seconds, the 90th is 1.8.",
  `
  03-02 09:00:00 ann /home
  03-02 09:00:01 ann /docs
  03-02 10:00:00 bob /home
  03-02 10:00:01 bob /docs
  03-02 11:00:00 cleo /home
  03-02 11:00:02 cleo /docs
  `,
  total({}, "durationAvgSec", "durationMedianSec", "durationP90Sec"),
  { durationAvgSec: 1.333, durationMedianSec: 1, durationP90Sec: 1.8 },
);

example(
  "Rates have four decimals.",
  `
  03-02 09:00 ann /home
  03-02 10:00 bob /home
  03-02 11:00 cleo /home
  03-02 11:01 cleo /docs
  `,
  total({}, "bounceRate", "pagesPerSession"),
  { bounceRate: 0.6667, pagesPerSession: 1.3333 },
);

example(
  "Page views are recognized by slug, regardless of how the name is written.",
  `
  03-02 09:00 ann "Page View"
  03-02 09:01 ann pageview
  03-02 09:02 ann Page
  03-02 09:03 ann screen_view
  03-02 09:04 ann "viewed a page"
  03-02 09:05 ann pages
  `,
  total({}, "events", "pageviews"),
  { events: 6, pageviews: 4 },
);

example(
  "The events that count as page views are configurable.",
  `
  03-02 09:00 ann /home
  03-02 09:01 ann "Opened Screen"
  03-02 09:02 ann "Opened Screen"
  `,
  total({}, "events", "pageviews"),
  { events: 3, pageviews: 2 },
  { pageviewSlugs: ["opened-screen"] },
);

example(
  "A session without page views has 0 pages per session, not null.",
  `
  03-02 09:00 ann ping
  `,
  total({}, "pageviews", "pagesPerSession"),
  { pageviews: 0, pagesPerSession: 0 },
);

example(
  "A person counts once in each bucket, and once in the total.",
  `
  03-02 09:00 ann /home
  03-02 12:00 ann /home
  03-03 09:00 ann /home
  `,
  async (daybook) => {
    const answer = await daybook.sessionsOverview({ interval: "day" });
    return { days: answer.buckets.map(({ sessions, users }) => [sessions, users]), total: [answer.total.sessions, answer.total.users] };
  },
  {
    days: [
      [2, 1],
      [1, 1],
    ],
    total: [3, 1],
  },
);

example(
  "Days without sessions are shown, from the start of the range to its end.",
  `
  03-03 09:00 ann /home
  `,
  buckets({ startDate: "2026-03-02", endDate: "2026-03-04", interval: "day" }, "local", "sessions", "bounceRate"),
  [
    ["2026-03-02", 0, null],
    ["2026-03-03", 1, 1],
    ["2026-03-04", 0, null],
  ],
);

example(
  "Without dates the buckets run from the first session to the last.",
  `
  03-02 09:00 ann /home
  03-04 09:00 ann /home
  `,
  buckets({ interval: "day" }, "local", "sessions"),
  [
    ["2026-03-02", 1],
    ["2026-03-03", 0],
    ["2026-03-04", 1],
  ],
);

example(
  "With an end alone the buckets run from the first session to the end.",
  `
  03-02 09:00 ann /home
  `,
  buckets({ endDate: "2026-03-03", interval: "day" }, "local", "sessions"),
  [
    ["2026-03-02", 1],
    ["2026-03-03", 0],
  ],
);

example(
  "Without dates and sessions, there are no buckets.",
  `
  03-02 09:00 - /home
  `,
  buckets({ interval: "day" }, "local"),
  [],
);

example(
  "A bucket is partial if the range cuts it or it is not over yet.",
  `
  03-19 09:00 ann /home
  `,
  buckets({ startDate: "2026-03-18T12:00:00Z", endDate: "2026-03-20", interval: "day" }, "start", "end", "local", "partial"),
  [
    ["2026-03-18T12:00:00.000Z", "2026-03-18T23:59:59.999Z", "2026-03-18", true],
    ["2026-03-19T00:00:00.000Z", "2026-03-19T23:59:59.999Z", "2026-03-19", false],
    ["2026-03-20T00:00:00.000Z", "2026-03-20T23:59:59.999Z", "2026-03-20", true],
  ],
);

example(
  "The day on which daylight saving time begins in New York has 23 hours.",
  `
  03-08 04:59:59.999 ann ping
  03-08 05:00:00.000 bob ping
  03-09 03:59:59.999 cleo ping
  03-09 04:00:00.000 dora ping
  `,
  buckets(
    { startDate: "2026-03-08", endDate: "2026-03-08", interval: "day", timeZone: "America/New_York" },
    "start",
    "end",
    "local",
    "partial",
    "sessions",
  ),
  [["2026-03-08T05:00:00.000Z", "2026-03-09T03:59:59.999Z", "2026-03-08", false, 2]],
);

example(
  "The hour that occurs twice when daylight saving time ends in Berlin is two buckets.",
  `
  2025-10-26 00:15 ann ping
  2025-10-26 01:15 bob ping
  2025-10-26 01:45 cleo ping
  `,
  buckets({ interval: "hour", timeZone: "Europe/Berlin" }, "local", "start", "sessions"),
  [
    ["2025-10-26T02:00+02:00", "2025-10-26T00:00:00.000Z", 1],
    ["2025-10-26T02:00+01:00", "2025-10-26T01:00:00.000Z", 2],
  ],
);

example(
  "If the clock skips midnight, as in São Paulo in 2018, the day begins at 1:00.",
  `
  2018-11-04 02:59:59.999 ann ping
  2018-11-04 03:00:00.000 bob ping
  2018-11-05 01:59:59.999 cleo ping
  `,
  buckets(
    { startDate: "2018-11-04", endDate: "2018-11-04", interval: "day", timeZone: "America/Sao_Paulo" },
    "start",
    "end",
    "local",
    "sessions",
  ),
  [["2018-11-04T03:00:00.000Z", "2018-11-05T01:59:59.999Z", "2018-11-04", 2]],
);

example(
  "The day that Samoa skipped in 2011 has no bucket.",
  `
  2011-12-30 09:59:59.999 ann ping
  2011-12-30 10:00:00.000 bob ping
  `,
  buckets({ interval: "day", timeZone: "Pacific/Apia" }, "local", "sessions"),
  [
    ["2011-12-29", 1],
    ["2011-12-31", 1],
  ],
);

example(
  "On Lord Howe Island, the hour extended by 30 minutes is one bucket.",
  `
  2025-04-05 14:15 ann ping
  2025-04-05 15:15 bob ping
  2025-04-05 15:30 cleo ping
  `,
  buckets({ interval: "hour", timeZone: "Australia/Lord_Howe" }, "local", "start", "end", "sessions"),
  [
    ["2025-04-06T01:00+11:00", "2025-04-05T14:00:00.000Z", "2025-04-05T15:29:59.999Z", 2],
    ["2025-04-06T02:00+10:30", "2025-04-05T15:30:00.000Z", "2025-04-05T16:29:59.999Z", 1],
  ],
);

example(
  "The dates of the range follow the time zone: March 2 in Berlin begins at 23:00 UTC.",
  `
  03-01 22:59 ann ping
  03-01 23:00 bob ping
  03-02 22:59 cleo ping
  03-02 23:00 dora ping
  `,
  total({ startDate: "2026-03-02", endDate: "2026-03-02", timeZone: "Europe/Berlin" }, "sessions"),
  { sessions: 2 },
);

example(
  "Weeks begin on Monday.",
  `
  03-01 09:00 ann ping
  03-02 09:00 ann ping
  `,
  buckets({ interval: "week" }, "local", "sessions"),
  [
    ["2026-02-23", 1],
    ["2026-03-02", 1],
  ],
);

example(
  "Weeks may begin on Sunday.",
  `
  03-01 09:00 ann ping
  03-02 09:00 ann ping
  `,
  buckets({ interval: "week", weekStart: "sunday" }, "local", "start", "end", "sessions"),
  [["2026-03-01", "2026-03-01T00:00:00.000Z", "2026-03-07T23:59:59.999Z", 2]],
);

example(
  "A month is named by its year and number.",
  `
  02-28 09:00 ann ping
  03-01 09:00 ann ping
  `,
  buckets({ interval: "month" }, "local", "end", "partial", "sessions"),
  [
    ["2026-02", "2026-02-28T23:59:59.999Z", false, 1],
    ["2026-03", "2026-03-31T23:59:59.999Z", true, 1],
  ],
);

example(
  "A quarter is named by its year and number.",
  `
  2025-12-31 09:00 ann ping
  01-01 09:00 ann ping
  `,
  buckets({ interval: "quarter" }, "local", "start", "sessions"),
  [
    ["2025-Q4", "2025-10-01T00:00:00.000Z", 1],
    ["2026-Q1", "2026-01-01T00:00:00.000Z", 1],
  ],
);

example(
  "A year is named by its number.",
  `
  2024-06-01 09:00 ann ping
  03-01 09:00 ann ping
  `,
  buckets({ interval: "year" }, "local", "sessions"),
  [
    ["2024", 1],
    ["2025", 0],
    ["2026", 1],
  ],
);

example(
  "A minute is named by its local time with offset.",
  `
  03-02 09:00:59.999 ann ping
  03-02 09:01:00.000 bob ping
  `,
  buckets({ interval: "minute" }, "local", "sessions"),
  [
    ["2026-03-02T09:00+00:00", 1],
    ["2026-03-02T09:01+00:00", 1],
  ],
);

example(
  "The interval total has one bucket for the whole range.",
  `
  03-02 09:00 ann /home
  `,
  buckets({ startDate: "2026-03-02", interval: "total" }, "start", "end", "local", "partial", "sessions"),
  [["2026-03-02T00:00:00.000Z", null, null, true, 1]],
);

example(
  "The entry page is the path of the first event, without query and fragment.",
  `
  03-02 09:00 ann /home?utm_source=mail
  03-02 09:01 ann /docs
  03-02 10:00 bob /home#top
  `,
  entries({}),
  [["/home", 2, 1]],
);

example(
  "If the first event has no url, the entry page is the empty string.",
  `
  03-02 09:00 ann open
  03-02 09:01 ann /docs
  `,
  entries({}),
  [["", 1, 0]],
);

example(
  "The exit page is the path of the last event that has a url.",
  `
  03-02 09:00 ann /home
  03-02 09:01 ann /docs?page=2
  03-02 09:02 ann close
  `,
  exits({}),
  [["/docs", 1, 0]],
);

example(
  "A session without a url has the empty string as its exit page.",
  `
  03-02 09:00 ann open
  03-02 09:01 ann close
  `,
  exits({}),
  [["", 1, 0]],
);

example(
  "Events in the same millisecond are sorted by id, smallest first.",
  `
  03-02 09:00 ann /b id=00000000-0000-4000-8000-000000000002
  03-02 09:00 ann /a id=00000000-0000-4000-8000-000000000001
  `,
  async (daybook) => {
    const { entryPages, exitPages } = await daybook.sessionsOverview();
    return [pages(entryPages), pages(exitPages)];
  },
  [[["/a", 1, 0]], [["/b", 1, 0]]],
);

example(
  "Pages are sorted by sessions, then by path, and the limit keeps the first ones.",
  `
  03-02 09:00 ann /pricing
  03-02 10:00 bob /docs
  03-02 11:00 cleo /home
  03-02 12:00 dora /home
  `,
  entries({ limit: 2 }),
  [
    ["/home", 2, 2],
    ["/docs", 1, 1],
  ],
);

example(
  "At most 10 pages are shown by default.",
  `
  03-02 09:00 a /01
  03-02 09:00 b /02
  03-02 09:00 c /03
  03-02 09:00 d /04
  03-02 09:00 e /05
  03-02 09:00 f /06
  03-02 09:00 g /07
  03-02 09:00 h /08
  03-02 09:00 i /09
  03-02 09:00 j /10
  03-02 09:00 k /11
  `,
  async (daybook) => (await daybook.sessionsOverview()).exitPages.map(({ value }) => value),
  ["/01", "/02", "/03", "/04", "/05", "/06", "/07", "/08", "/09", "/10"],
);

example(
  "With asOf, the answer ignores events that arrive later.",
  `
  03-02 09:00 ann /home
  03-02 09:10 ann /docs
  `,
  async (daybook) => {
    const before = await daybook.sessionsOverview({ asOf: "latest" });
    await daybook.ingest([{ name: "Pageview", userId: "bob", url: "/home", createdAt: "2026-03-02T09:00:00Z" }]);
    const after = await daybook.sessionsOverview({ asOf: before.asOf });
    return { asOf: after.asOf, sessions: after.total.sessions };
  },
  { asOf: 2, sessions: 1 },
);

example(
  "A null member is treated as absent.",
  `
  03-02 09:00 ann /home
  `,
  buckets(
    {
      project: null,
      eventName: null,
      filterGroups: null,
      segments: null,
      startDate: null,
      endDate: null,
      timeZone: null,
      weekStart: null,
      asOf: null,
      interval: null,
      breakdown: null,
      limit: null,
    },
    "local",
    "sessions",
  ),
  [[null, 1]],
);

example("The query has no userId parameter.", "", refused({ userId: "ann" } as SessionsOverviewInput), ["unknown_parameter", "userId"]);

example("The query has no compare parameter.", "", refused({ compare: "previous_period" } as SessionsOverviewInput), [
  "unknown_parameter",
  "compare",
]);

example("An unknown interval is refused.", "", refused({ interval: "fortnight" as "week" }), ["invalid_parameter", "interval"]);

example("An offset is not accepted as a time zone.", "", refused({ timeZone: "+01:00" }), ["invalid_parameter", "timeZone"]);

example("An unknown first day of the week is refused.", "", refused({ weekStart: "someday" as "monday" }), ["invalid_parameter", "weekStart"]);

example("A limit of 0 pages is refused.", "", refused({ limit: 0 }), ["invalid_parameter", "limit"]);

example("A breakdown has at most two fields.", "", refused({ breakdown: { fields: ["os", "device", "country"] } }), [
  "invalid_parameter",
  "breakdown.fields",
]);

example("More than 10,000 buckets are refused.", "", refused({ startDate: "2026-03-01", endDate: "2026-03-10", interval: "minute" }), [
  "invalid_parameter",
  "interval",
]);

example("An asOf above the latest sequence is refused.", "", refused({ asOf: 1 }), ["invalid_parameter", "asOf"]);
