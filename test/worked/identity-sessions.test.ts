import type { DaybookError, IdentitySessionsPage } from "daybook";
import { expect } from "vitest";
import { HOUR, MINUTE } from "../query/reports/layouts.js";
import { codeAndParam, example } from "./example.js";

/** The start and number of events of each session, newest first. */
const starts = ({ sessions }: IdentitySessionsPage) =>
  sessions.map(({ startedAt, events }) => `${startedAt.slice(5, 16).replace("T", " ")} (${events})`);
/** The entry and exit page of each session. */
const pages = ({ sessions }: IdentitySessionsPage) => sessions.map(({ entryUrl, exitUrl }) => [entryUrl, exitUrl]);

example(
  "Two page views ten minutes apart are one session.",
  `
  03-02 09:00 ann /
  03-02 09:10 ann /pricing
  `,
  async (daybook) => starts(await daybook.identitySessions({ userId: "ann" })),
  ["03-02 09:00 (2)"],
);

example(
  "A session takes location, device, referrer and campaign from its first event, and the exit page from its last.",
  `
  03-02 09:00 ann /?utm_source=news referrer=https://news.example/ device=desktop os=macOS browser=Safari screen=1440x900 language=de country=DE
  03-02 09:01 ann /pricing device=mobile os=iOS browser=Chrome screen=390x844 language=en country=FR
  `,
  (daybook) => daybook.identitySessions({ userId: "ann" }),
  {
    identityId: expect.any(String),
    sessions: [
      {
        sessionId: expect.any(String),
        project: "default",
        startedAt: "2026-03-02T09:00:00.000Z",
        endedAt: "2026-03-02T09:01:00.000Z",
        durationSec: 60,
        events: 2,
        pageviews: 2,
        isBounce: false,
        entryUrl: "/?utm_source=news",
        exitUrl: "/pricing",
        referrer: "https://news.example/",
        utmSource: "news",
        utmMedium: null,
        utmCampaign: null,
        device: "desktop",
        os: "macOS",
        browser: "Safari",
        screen: "1440x900",
        language: "de",
        locationCountry: "DE",
        locationRegion: null,
        locationCity: null,
        revenue: 0,
      },
    ],
    cursor: null,
  },
);

example(
  "A session with one event and no page is a bounce, and its missing fields are null.",
  `
  03-02 09:00 ann login project=shop region=BE city=Berlin
  `,
  (daybook) => daybook.identitySessions({ userId: "ann" }),
  {
    identityId: expect.any(String),
    sessions: [
      {
        sessionId: expect.any(String),
        project: "shop",
        startedAt: "2026-03-02T09:00:00.000Z",
        endedAt: "2026-03-02T09:00:00.000Z",
        durationSec: 0,
        events: 1,
        pageviews: 0,
        isBounce: true,
        entryUrl: null,
        exitUrl: null,
        referrer: null,
        utmSource: null,
        utmMedium: null,
        utmCampaign: null,
        device: null,
        os: null,
        browser: null,
        screen: null,
        language: null,
        locationCountry: null,
        locationRegion: "BE",
        locationCity: "Berlin",
        revenue: 0,
      },
    ],
    cursor: null,
  },
);

example(
  "A known person without events has no sessions.",
  `
  03-02 09:00 ann identify plan=pro
  `,
  (daybook) => daybook.identitySessions({ userId: "ann" }),
  { identityId: expect.any(String), sessions: [], cursor: null },
);

example(
  "A gap of exactly 30 minutes does not end a session, but one of a millisecond more does.",
  `
  03-02 09:00 ann /
  03-02 09:30 ann /pricing
  03-02 10:00:00.001 ann /docs
  `,
  async (daybook) => starts(await daybook.identitySessions({ userId: "ann" })),
  ["03-02 10:00 (1)", "03-02 09:00 (2)"],
);

example(
  "The maximum gap is configurable.",
  `
  03-02 09:00 ann /
  03-02 09:05 ann /pricing
  03-02 09:10:00.001 ann /docs
  `,
  async (daybook) => starts(await daybook.identitySessions({ userId: "ann" })),
  ["03-02 09:10 (1)", "03-02 09:00 (2)"],
  { session: { gapMs: 5 * MINUTE } },
);

example(
  "An event exactly 24 hours after the start still belongs to the session, but one a millisecond later does not.",
  `
  03-02 09:00 ann /
  03-02 21:00 ann /
  03-03 09:00 ann /
  03-03 09:00:00.001 ann /
  `,
  async (daybook) => starts(await daybook.identitySessions({ userId: "ann" })),
  ["03-03 09:00 (1)", "03-02 09:00 (3)"],
  { session: { gapMs: 12 * HOUR } },
);

example(
  "The maximum length of a session is configurable.",
  `
  03-02 09:00 ann /
  03-02 09:20 ann /
  03-02 09:40 ann /
  03-02 10:00 ann /
  03-02 10:20 ann /
  `,
  async (daybook) => starts(await daybook.identitySessions({ userId: "ann" })),
  ["03-02 10:20 (1)", "03-02 09:00 (4)"],
  { session: { maxMs: HOUR } },
);

example(
  "Midnight does not end a session.",
  `
  03-02 23:50 ann /
  03-03 00:10 ann /pricing
  `,
  async (daybook) => starts(await daybook.identitySessions({ userId: "ann" })),
  ["03-02 23:50 (2)"],
);

example(
  "A new campaign does not end a session, and the session keeps its first campaign.",
  `
  03-02 09:00 ann /?utm_source=news&utm_medium=mail
  03-02 09:05 ann /?utm_source=ads
  `,
  async (daybook) => {
    const { sessions } = await daybook.identitySessions({ userId: "ann" });
    return sessions.map(({ events, utmSource, utmMedium }) => [events, utmSource, utmMedium]);
  },
  [[2, "news", "mail"]],
);

example(
  "Each utm value is read from the metadata, or from the query of the url if the metadata has none.",
  `
  03-02 09:00 ann /?utm_source=news&utm_medium=mail utm_source=partner utm_campaign=spring
  `,
  async (daybook) => {
    const { sessions } = await daybook.identitySessions({ userId: "ann" });
    return sessions.map(({ utmSource, utmMedium, utmCampaign }) => [utmSource, utmMedium, utmCampaign]);
  },
  [["partner", "mail", "spring"]],
);

example(
  "Each project has separate sessions, even at the same time.",
  `
  03-02 09:00 ann / project=shop
  03-02 09:01 ann / project=blog
  03-02 09:02 ann / project=shop
  `,
  async (daybook) => {
    const { sessions } = await daybook.identitySessions({ userId: "ann" });
    return sessions.map(({ project, events }) => `${project} ${events}`);
  },
  ["blog 1", "shop 2"],
);

example(
  "Sessions that start in the same millisecond are sorted by the id of their first event, greatest first.",
  `
  03-02 09:00 ann / project=shop id=00000000-0000-4000-8000-000000000001
  03-02 09:00 ann / project=blog id=00000000-0000-4000-8000-000000000003
  03-02 09:00 ann / project=docs id=00000000-0000-4000-8000-000000000002
  `,
  async (daybook) => (await daybook.identitySessions({ userId: "ann" })).sessions.map(({ project }) => project),
  ["blog", "docs", "shop"],
);

example(
  "Events in the same millisecond are sorted by id: the smallest is the entry, the greatest the exit.",
  `
  03-02 09:00 ann /two id=00000000-0000-4000-8000-000000000002
  03-02 09:00 ann /three id=00000000-0000-4000-8000-000000000003
  03-02 09:00 ann /one id=00000000-0000-4000-8000-000000000001
  `,
  async (daybook) => pages(await daybook.identitySessions({ userId: "ann" })),
  [["/one", "/three"]],
);

example(
  "The entry page is null if the first event has no url, and the exit page is that of the last event with a url.",
  `
  03-02 09:00 ann login
  03-02 09:01 ann /docs
  03-02 09:02 ann search
  `,
  async (daybook) => pages(await daybook.identitySessions({ userId: "ann" })),
  [[null, "/docs"]],
);

example(
  "A payment with neither a url nor a hostname is in no session and does not bridge a gap.",
  `
  03-02 09:00 ann /
  03-02 09:20 ann Payment value=50
  03-02 09:40 ann /docs
  `,
  async (daybook) => {
    const { sessions } = await daybook.identitySessions({ userId: "ann" });
    return sessions.map(({ startedAt, events, revenue }) => [startedAt.slice(11, 16), events, revenue]);
  },
  [
    ["09:40", 1, 0],
    ["09:00", 1, 0],
  ],
);

example(
  "A payment event without an amount does not count as revenue, so it is in a session even without a url.",
  `
  03-02 09:00 ann /
  03-02 09:20 ann Payment
  03-02 09:40 ann Payment amount="50"
  `,
  async (daybook) => starts(await daybook.identitySessions({ userId: "ann" })),
  ["03-02 09:00 (3)"],
);

example(
  "A payment with a url or hostname is part of a session and adds to its revenue.",
  `
  03-02 09:00 ann /
  03-02 09:20 ann Payment value=50 url=/thanks
  03-02 09:40 ann Payment value=20 hostname=shop.example
  `,
  async (daybook) => {
    const { sessions } = await daybook.identitySessions({ userId: "ann" });
    return sessions.map(({ events, pageviews, revenue }) => ({ events, pageviews, revenue }));
  },
  [{ events: 3, pageviews: 1, revenue: 70 }],
);

example(
  "A refund reduces the revenue of the session it happens in, not of the session with the order.",
  `
  03-02 09:00 ann Payment value=50 order=o1 url=/thanks
  03-03 09:00 ann Refund value=20 order=o1 url=/returns
  `,
  async (daybook) => (await daybook.identitySessions({ userId: "ann" })).sessions.map(({ revenue }) => revenue),
  [-20, 50],
);

example(
  "A payment repeated with the same order key counts only in the session of the first payment.",
  `
  03-02 09:00 ann Payment value=50 order=o1 url=/thanks
  03-03 09:00 ann Payment value=50 order=o1 url=/thanks
  `,
  async (daybook) => (await daybook.identitySessions({ userId: "ann" })).sessions.map(({ revenue }) => revenue),
  [0, 50],
);

example(
  "Revenue is converted at the rate of the payment's day, and amounts without a rate are left out.",
  `
  03-02 09:00 ann Payment value=10 currency=EUR url=/thanks
  03-03 09:00 ann Payment value=10 currency=EUR url=/thanks
  03-03 09:01 ann Payment value=10 currency=CHF url=/thanks
  `,
  async (daybook) => (await daybook.identitySessions({ userId: "ann" })).sessions.map(({ revenue }) => revenue),
  [30, 20],
  { rates: (from, _to, day) => (from === "EUR" ? (day === "2026-03-02" ? 2 : 3) : undefined) },
);

example(
  "Two events in the same millisecond are not a bounce, although the duration is zero.",
  `
  03-02 09:00 ann / id=00000000-0000-4000-8000-000000000001
  03-02 09:00 ann click id=00000000-0000-4000-8000-000000000002
  03-03 09:00 ann /
  `,
  async (daybook) => (await daybook.identitySessions({ userId: "ann" })).sessions.map(({ isBounce, durationSec }) => [isBounce, durationSec]),
  [
    [true, 0],
    [false, 0],
  ],
);

example(
  "The duration is the time from the first to the last event, with millisecond precision.",
  `
  03-02 09:00:00.250 ann /
  03-02 09:00:30 ann /docs
  03-02 09:01:00.750 ann click
  `,
  async (daybook) => (await daybook.identitySessions({ userId: "ann" })).sessions.map(({ durationSec }) => durationSec),
  [60.5],
);

example(
  "Page views are the events with the slug page, pageview, page-view or screen-view.",
  `
  03-02 09:00 ann page
  03-02 09:01 ann Pageview
  03-02 09:02 ann "Page View"
  03-02 09:03 ann "screen view"
  03-02 09:04 ann "page views"
  `,
  async (daybook) => (await daybook.identitySessions({ userId: "ann" })).sessions.map(({ pageviews, events }) => [pageviews, events]),
  [[4, 5]],
);

example(
  "A range selects the sessions that start in it and shows them in full, even after its end.",
  `
  03-02 23:50 ann /
  03-03 00:10 ann /docs
  03-03 23:50 ann /
  03-04 00:10 ann /docs
  `,
  async (daybook) => starts(await daybook.identitySessions({ userId: "ann", startDate: "2026-03-03", endDate: "2026-03-03" })),
  ["03-03 23:50 (2)"],
);

example(
  "Start and end times are inclusive to the millisecond.",
  `
  03-02 08:59:59.999 ann / project=a
  03-02 09:00 ann / project=b
  03-02 10:00 ann / project=c
  03-02 10:00:00.001 ann / project=d
  `,
  async (daybook) => {
    const { sessions } = await daybook.identitySessions({ userId: "ann", startDate: "2026-03-02T09:00:00Z", endDate: "2026-03-02T10:00:00Z" });
    return sessions.map(({ project }) => project);
  },
  ["c", "b"],
);

example(
  "The default range is the 30 times 24 hours before now, to the millisecond.",
  `
  02-18 11:59:59.999 ann / project=before
  02-18 12:00 ann / project=first
  03-20 12:00 ann / project=last
  03-20 12:00:00.001 ann / project=after
  `,
  async (daybook) => (await daybook.identitySessions({ userId: "ann" })).sessions.map(({ project }) => project),
  ["last", "first"],
);

example(
  "A visit with a sign-up is one session of the user, and both ids find it.",
  `
  03-02 09:00 ~phone /
  03-02 09:05 ann~phone signup
  `,
  async (daybook) => [starts(await daybook.identitySessions({ userId: "ann" })), starts(await daybook.identitySessions({ userId: "phone" }))],
  [["03-02 09:00 (2)"], ["03-02 09:00 (2)"]],
);

example(
  "Later users of a shared device have their own sessions, and its anonymous events belong to the first user.",
  `
  03-02 09:00 ann~tablet /
  03-02 09:10 bob~tablet /docs
  03-02 09:20 ~tablet /pricing
  `,
  async (daybook) => [starts(await daybook.identitySessions({ userId: "ann" })), starts(await daybook.identitySessions({ userId: "bob" }))],
  [["03-02 09:00 (2)"], ["03-02 09:10 (1)"]],
);

example(
  "Merging two users joins sessions of the past that were apart.",
  `
  03-02 09:00 ann /
  03-02 09:25 anna /docs
  03-02 09:50 ann /pricing
  03-10 12:00 anna alias:ann
  `,
  async (daybook) => starts(await daybook.identitySessions({ userId: "ann" })),
  ["03-02 09:00 (3)"],
);

example(
  "Undoing a merge separates the sessions again.",
  `
  03-02 09:00 ann /
  03-02 09:25 anna /docs
  03-02 09:50 ann /pricing
  03-10 12:00 anna alias:ann id=00000000-0000-4000-8000-000000000001
  `,
  async (daybook) => {
    await daybook.unlink("00000000-0000-4000-8000-000000000001");
    return starts(await daybook.identitySessions({ userId: "ann" }));
  },
  ["03-02 09:50 (1)", "03-02 09:00 (1)"],
);

example(
  "An email finds the person most recently identified with it, ignoring case and surrounding spaces.",
  `
  03-01 08:00 ann identify email=team@example.com
  03-01 09:00 bob identify email=Team@Example.com
  03-02 09:00 ann /
  03-03 09:00 bob /
  `,
  async (daybook) => starts(await daybook.identitySessions({ email: " TEAM@example.com " })),
  ["03-03 09:00 (1)"],
);

example(
  "A page ends at the limit and has a cursor to the next page; the last page has none.",
  `
  03-02 09:00 ann /
  03-03 09:00 ann /
  03-04 09:00 ann /
  `,
  async (daybook) => {
    const first = await daybook.identitySessions({ userId: "ann", limit: 2 });
    const second = await daybook.identitySessions({ userId: "ann", limit: 2, cursor: first.cursor });
    return [starts(first), starts(second), second.cursor];
  },
  [["03-04 09:00 (1)", "03-03 09:00 (1)"], ["03-02 09:00 (1)"], null],
);

example(
  "A page with exactly the remaining sessions is the last page.",
  `
  03-02 09:00 ann /
  03-03 09:00 ann /
  `,
  async (daybook) => (await daybook.identitySessions({ userId: "ann", limit: 2 })).cursor,
  null,
);

example(
  "The limit may change between pages.",
  `
  03-02 09:00 ann /
  03-03 09:00 ann /
  03-04 09:00 ann /
  `,
  async (daybook) => {
    const { cursor } = await daybook.identitySessions({ userId: "ann", limit: 1 });
    return starts(await daybook.identitySessions({ userId: "ann", limit: 100, cursor }));
  },
  ["03-03 09:00 (1)", "03-02 09:00 (1)"],
);

example(
  "Events that arrive after the first page do not appear on later pages.",
  `
  03-02 09:00 ann /
  03-04 09:00 ann /
  `,
  async (daybook) => {
    const { cursor } = await daybook.identitySessions({ userId: "ann", limit: 1 });
    await daybook.ingest([{ name: "Pageview", userId: "ann", createdAt: "2026-03-03T09:00:00Z" }]);
    return starts(await daybook.identitySessions({ userId: "ann", limit: 1, cursor }));
  },
  ["03-02 09:00 (1)"],
);

example(
  "A cursor is valid only for the same person and range, and other text or a cursor of another query is codeAndParam.",
  `
  03-02 09:00 ann /
  03-03 09:00 ann /
  03-03 09:00 bob /
  `,
  async (daybook) => {
    const { cursor } = await daybook.identitySessions({ userId: "ann", limit: 1 });
    const { cursor: search } = await daybook.searchEvents({ limit: 1 });
    return Promise.all(
      [
        daybook.identitySessions({ userId: "bob", limit: 1, cursor }),
        daybook.identitySessions({ userId: "ann", limit: 1, cursor, startDate: "2026-03-01" }),
        daybook.identitySessions({ userId: "ann", limit: 1, cursor: search }),
        daybook.identitySessions({ userId: "ann", limit: 1, cursor: "next" }),
      ].map((page) => page.catch(({ code }: DaybookError) => code)),
    );
  },
  ["cursor_mismatch", "cursor_mismatch", "invalid_cursor", "invalid_cursor"],
);

example(
  "The limit is a whole number from 1 to 100.",
  `
  03-02 09:00 ann /
  `,
  (daybook) => Promise.all([0, 101, 1.5].map((limit) => daybook.identitySessions({ userId: "ann", limit }).catch(codeAndParam))),
  [
    ["invalid_parameter", "limit"],
    ["invalid_parameter", "limit"],
    ["invalid_parameter", "limit"],
  ],
);

example(
  "Exactly one of email and user id is required.",
  `
  03-02 09:00 ann identify email=ann@example.com
  `,
  (daybook) =>
    Promise.all(
      [{ userId: "ann", email: "ann@example.com" }, {}, { userId: null }].map((input) =>
        daybook.identitySessions(input as never).catch(({ code }: DaybookError) => code),
      ),
    ),
  ["exactly_one_required", "exactly_one_required", "exactly_one_required"],
);

example(
  "An unknown id or email is an error, and ids are case-sensitive.",
  `
  03-02 09:00 ann /
  `,
  (daybook) =>
    Promise.all(
      [daybook.identitySessions({ userId: "Ann" }), daybook.identitySessions({ email: "ann@example.com" })].map((page) =>
        page.catch(({ code }: DaybookError) => code),
      ),
    ),
  ["identity_not_found", "identity_not_found"],
);

example(
  "Unknown members, invalid dates and a start after the end are codeAndParam.",
  `
  03-02 09:00 ann /
  `,
  (daybook) =>
    Promise.all(
      [
        { eventName: "Pageview" },
        { startDate: "2026-02-30" },
        { startDate: "2026-03-02T09:00" },
        { startDate: "2026-03-03", endDate: "2026-03-02" },
      ].map((input) => daybook.identitySessions({ userId: "ann", ...input } as never).catch(({ code }: DaybookError) => code)),
    ),
  ["unknown_parameter", "invalid_date", "invalid_date", "invalid_date_range"],
);
