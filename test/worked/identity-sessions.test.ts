import type { DaybookError, IdentitySessionsPage } from "daybook";
import { expect } from "vitest";
import { HOUR, MINUTE } from "../query/reports/layouts.js";
import { example } from "./example.js";

/** Per session, newest first, when it began and how many events it has. */
const begun = ({ sessions }: IdentitySessionsPage) =>
  sessions.map(({ startedAt, events }) => `${startedAt.slice(5, 16).replace("T", " ")} (${events})`);
/** Per session where it began and ended. */
const pages = ({ sessions }: IdentitySessionsPage) => sessions.map(({ entryUrl, exitUrl }) => [entryUrl, exitUrl]);
const refused = ({ code, details }: DaybookError) => [code, details.param];

example(
  "Two page views ten minutes apart are one session.",
  `
  03-02 09:00 ann /
  03-02 09:10 ann /pricing
  `,
  async (daybook) => begun(await daybook.identitySessions({ userId: "ann" })),
  ["03-02 09:00 (2)"],
);

example(
  "A session takes place, device, referrer and campaign from its first event, and its exit page from its last.",
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
  "A session of one event without a page is a bounce whose other members are null.",
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
  "A person who is known but did nothing has no sessions.",
  `
  03-02 09:00 ann identify plan=pro
  `,
  (daybook) => daybook.identitySessions({ userId: "ann" }),
  { identityId: expect.any(String), sessions: [], cursor: null },
);

example(
  "A gap of exactly 30 minutes keeps a session open; one millisecond more starts the next.",
  `
  03-02 09:00 ann /
  03-02 09:30 ann /pricing
  03-02 10:00:00.001 ann /docs
  `,
  async (daybook) => begun(await daybook.identitySessions({ userId: "ann" })),
  ["03-02 10:00 (1)", "03-02 09:00 (2)"],
);

example(
  "The length of the gap is an option.",
  `
  03-02 09:00 ann /
  03-02 09:05 ann /pricing
  03-02 09:10:00.001 ann /docs
  `,
  async (daybook) => begun(await daybook.identitySessions({ userId: "ann" })),
  ["03-02 09:10 (1)", "03-02 09:00 (2)"],
  { session: { gapMs: 5 * MINUTE } },
);

example(
  "An event exactly 24 hours after the start still belongs to a session; one a millisecond later does not.",
  `
  03-02 09:00 ann /
  03-02 21:00 ann /
  03-03 09:00 ann /
  03-03 09:00:00.001 ann /
  `,
  async (daybook) => begun(await daybook.identitySessions({ userId: "ann" })),
  ["03-03 09:00 (1)", "03-02 09:00 (3)"],
  { session: { gapMs: 12 * HOUR } },
);

example(
  "The greatest length of a session is an option.",
  `
  03-02 09:00 ann /
  03-02 09:20 ann /
  03-02 09:40 ann /
  03-02 10:00 ann /
  03-02 10:20 ann /
  `,
  async (daybook) => begun(await daybook.identitySessions({ userId: "ann" })),
  ["03-02 10:20 (1)", "03-02 09:00 (4)"],
  { session: { maxMs: HOUR } },
);

example(
  "Midnight does not end a session.",
  `
  03-02 23:50 ann /
  03-03 00:10 ann /pricing
  `,
  async (daybook) => begun(await daybook.identitySessions({ userId: "ann" })),
  ["03-02 23:50 (2)"],
);

example(
  "Another campaign does not end a session, which keeps its first one.",
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
  "Each utm value is taken from the metadata, else from the query of the url.",
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
  "Each project has sessions of its own, even at the same time.",
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
  "Of sessions that begin at the same millisecond, the one whose first event has the greater id comes first.",
  `
  03-02 09:00 ann / project=shop id=00000000-0000-4000-8000-000000000001
  03-02 09:00 ann / project=blog id=00000000-0000-4000-8000-000000000003
  03-02 09:00 ann / project=docs id=00000000-0000-4000-8000-000000000002
  `,
  async (daybook) => (await daybook.identitySessions({ userId: "ann" })).sessions.map(({ project }) => project),
  ["blog", "docs", "shop"],
);

example(
  "Events of the same millisecond are in the order of their ids: the smallest is the entry, the greatest the exit.",
  `
  03-02 09:00 ann /two id=00000000-0000-4000-8000-000000000002
  03-02 09:00 ann /three id=00000000-0000-4000-8000-000000000003
  03-02 09:00 ann /one id=00000000-0000-4000-8000-000000000001
  `,
  async (daybook) => pages(await daybook.identitySessions({ userId: "ann" })),
  [["/one", "/three"]],
);

example(
  "The entry page is null if the first event has no url; the exit page is that of the last event with a url.",
  `
  03-02 09:00 ann login
  03-02 09:01 ann /docs
  03-02 09:02 ann search
  `,
  async (daybook) => pages(await daybook.identitySessions({ userId: "ann" })),
  [[null, "/docs"]],
);

example(
  "A payment that has neither a url nor a hostname is in no session and does not bridge a gap.",
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
  "A payment without an amount is no revenue event, so it is part of a session without a url, too.",
  `
  03-02 09:00 ann /
  03-02 09:20 ann Payment
  03-02 09:40 ann Payment amount="50"
  `,
  async (daybook) => begun(await daybook.identitySessions({ userId: "ann" })),
  ["03-02 09:00 (3)"],
);

example(
  "A payment with a url or a hostname is part of a session, and its amount is the session's revenue.",
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
  "A refund lowers the revenue of the session in which it happens, not that of its order's session.",
  `
  03-02 09:00 ann Payment value=50 order=o1 url=/thanks
  03-03 09:00 ann Refund value=20 order=o1 url=/returns
  `,
  async (daybook) => (await daybook.identitySessions({ userId: "ann" })).sessions.map(({ revenue }) => revenue),
  [-20, 50],
);

example(
  "A payment that is repeated with its order key counts in the session of the earliest.",
  `
  03-02 09:00 ann Payment value=50 order=o1 url=/thanks
  03-03 09:00 ann Payment value=50 order=o1 url=/thanks
  `,
  async (daybook) => (await daybook.identitySessions({ userId: "ann" })).sessions.map(({ revenue }) => revenue),
  [0, 50],
);

example(
  "Revenue is converted by the rate of the payment's day; an amount without a rate is left out.",
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
  "Two events of one millisecond are no bounce, although they last no time.",
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
  "The duration is the time from the first to the last event, to the millisecond.",
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
  "A range selects the sessions that start in it and shows them whole, beyond its end too.",
  `
  03-02 23:50 ann /
  03-03 00:10 ann /docs
  03-03 23:50 ann /
  03-04 00:10 ann /docs
  `,
  async (daybook) => begun(await daybook.identitySessions({ userId: "ann", startDate: "2026-03-03", endDate: "2026-03-03" })),
  ["03-03 23:50 (2)"],
);

example(
  "Both bounds of a range include their own millisecond.",
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
  "Without dates, a report covers the 30 days of 24 hours before now, to the millisecond.",
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
  "A visit that turns into a sign-up is one session of the user, under both of the ids.",
  `
  03-02 09:00 ~phone /
  03-02 09:05 ann~phone signup
  `,
  async (daybook) => [begun(await daybook.identitySessions({ userId: "ann" })), begun(await daybook.identitySessions({ userId: "phone" }))],
  [["03-02 09:00 (2)"], ["03-02 09:00 (2)"]],
);

example(
  "Later users of a shared device have sessions of their own; what is anonymous on it is its first user's.",
  `
  03-02 09:00 ann~tablet /
  03-02 09:10 bob~tablet /docs
  03-02 09:20 ~tablet /pricing
  `,
  async (daybook) => [begun(await daybook.identitySessions({ userId: "ann" })), begun(await daybook.identitySessions({ userId: "bob" }))],
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
  async (daybook) => begun(await daybook.identitySessions({ userId: "ann" })),
  ["03-02 09:00 (3)"],
);

example(
  "Taking the merge back separates the sessions again.",
  `
  03-02 09:00 ann /
  03-02 09:25 anna /docs
  03-02 09:50 ann /pricing
  03-10 12:00 anna alias:ann id=00000000-0000-4000-8000-000000000001
  `,
  async (daybook) => {
    await daybook.unlink("00000000-0000-4000-8000-000000000001");
    return begun(await daybook.identitySessions({ userId: "ann" }));
  },
  ["03-02 09:50 (1)", "03-02 09:00 (1)"],
);

example(
  "An email finds the person most recently identified with it, whatever its case and the spaces around it.",
  `
  03-01 08:00 ann identify email=team@example.com
  03-01 09:00 bob identify email=Team@Example.com
  03-02 09:00 ann /
  03-03 09:00 bob /
  `,
  async (daybook) => begun(await daybook.identitySessions({ email: " TEAM@example.com " })),
  ["03-03 09:00 (1)"],
);

example(
  "A page ends at its limit, and its cursor leads to the next; the last page has none.",
  `
  03-02 09:00 ann /
  03-03 09:00 ann /
  03-04 09:00 ann /
  `,
  async (daybook) => {
    const first = await daybook.identitySessions({ userId: "ann", limit: 2 });
    const second = await daybook.identitySessions({ userId: "ann", limit: 2, cursor: first.cursor });
    return [begun(first), begun(second), second.cursor];
  },
  [["03-04 09:00 (1)", "03-03 09:00 (1)"], ["03-02 09:00 (1)"], null],
);

example(
  "A page that its sessions fill exactly is the last one.",
  `
  03-02 09:00 ann /
  03-03 09:00 ann /
  `,
  async (daybook) => (await daybook.identitySessions({ userId: "ann", limit: 2 })).cursor,
  null,
);

example(
  "The limit may change from page to page.",
  `
  03-02 09:00 ann /
  03-03 09:00 ann /
  03-04 09:00 ann /
  `,
  async (daybook) => {
    const { cursor } = await daybook.identitySessions({ userId: "ann", limit: 1 });
    return begun(await daybook.identitySessions({ userId: "ann", limit: 100, cursor }));
  },
  ["03-03 09:00 (1)", "03-02 09:00 (1)"],
);

example(
  "Events that arrive after the first page are on none of the later ones.",
  `
  03-02 09:00 ann /
  03-04 09:00 ann /
  `,
  async (daybook) => {
    const { cursor } = await daybook.identitySessions({ userId: "ann", limit: 1 });
    await daybook.ingest([{ name: "Pageview", userId: "ann", createdAt: "2026-03-03T09:00:00Z" }]);
    return begun(await daybook.identitySessions({ userId: "ann", limit: 1, cursor }));
  },
  ["03-02 09:00 (1)"],
);

example(
  "A cursor belongs to the person and the range it was made for; anything else is no cursor.",
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
  "A page holds 1 to 100 sessions.",
  `
  03-02 09:00 ann /
  `,
  (daybook) => Promise.all([0, 101, 1.5].map((limit) => daybook.identitySessions({ userId: "ann", limit }).catch(refused))),
  [
    ["invalid_parameter", "limit"],
    ["invalid_parameter", "limit"],
    ["invalid_parameter", "limit"],
  ],
);

example(
  "A report takes exactly one of email and user id.",
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
  "An id or an email that nobody has is an error; ids are case-sensitive.",
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
  "Members that the report does not have, bad dates and a start after the end are errors.",
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
