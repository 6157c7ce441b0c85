import { DaybookError, type Daybook, type WebFigures, type WebOverviewInput } from "daybook";
import { expect } from "vitest";
import { example } from "./example.js";

type Ask = (daybook: Daybook) => Promise<unknown>;
type ListOfVisits = "entryPages" | "exitPages" | "sources" | "mediums" | "campaigns" | "countries" | "devices" | "browsers" | "systems";

const pick = (figures: WebFigures | null, names: readonly (keyof WebFigures)[]) =>
  figures === null ? null : Object.fromEntries(names.map((name) => [name, figures[name]]));

/** The named figures of the range. */
const figures =
  (input: WebOverviewInput, ...names: readonly (keyof WebFigures)[]): Ask =>
  async (daybook) =>
    pick((await daybook.webOverview(input)).figures, names);

/** The named figures of the range that is compared with. */
const previous =
  (input: WebOverviewInput, ...names: readonly (keyof WebFigures)[]): Ask =>
  async (daybook) =>
    pick((await daybook.webOverview(input)).previous, names);

/** Per page its path, its visitors and its views. */
const pages =
  (input: WebOverviewInput): Ask =>
  async (daybook) =>
    (await daybook.webOverview(input)).pages.map(({ value, visitors, views }) => [value, visitors, views]);

/** Per value of a list its visitors and its visits. */
const list =
  (name: ListOfVisits, input: WebOverviewInput = {}): Ask =>
  async (daybook) =>
    (await daybook.webOverview(input))[name].map(({ value, visitors, visits }) => [value, visitors, visits]);

/** Source, medium and campaign of the only visit. */
const origin: Ask = async (daybook) => {
  const { sources, mediums, campaigns } = await daybook.webOverview();
  return [sources, mediums, campaigns].map((visits) => visits.map(({ value }) => value).join());
};

const online =
  (input: WebOverviewInput = {}): Ask =>
  async (daybook) =>
    (await daybook.webOverview(input)).nowOnline;

/** Per bucket its name, visitors, views and visits. */
const chart =
  (input: WebOverviewInput): Ask =>
  async (daybook) =>
    (await daybook.webOverview(input)).chart?.map(({ local, visitors, views, visits }) => [local, visitors, views, visits]);

/** Code and parameter of the error that a question ends with. */
const refused =
  (input: WebOverviewInput): Ask =>
  (daybook) =>
    daybook.webOverview(input).then(
      () => "an answer",
      (error: unknown) => (error instanceof DaybookError ? [error.code, error.details.param] : error),
    );

/** A question about the events on which one filter is true. */
const where = (fieldName: string, operator: string, value?: unknown): WebOverviewInput => ({
  filterGroups: [{ filters: [{ fieldName, operator, value }] }],
});

const one = (value: string) => ({ value, visitors: 1, visits: 1 });

example(
  "One visitor comes from a search and reads two pages, the other comes from a mail and reads one.",
  `
  03-02 09:00 ann /home referrer=https://www.google.com/ country=DE device=phone browser=Safari os=iOS
  03-02 09:02 ann /pricing country=DE device=phone browser=Safari os=iOS
  03-02 10:00 ~laptop /home?utm_source=mail&utm_medium=email&utm_campaign=spring country=FR device=desktop browser=Firefox os=Linux
  `,
  (daybook) => daybook.webOverview(),
  {
    definition: expect.any(String) as unknown,
    asOf: null,
    nowOnline: 0,
    figures: { visitors: 2, views: 3, visits: 2, viewsPerVisit: 1.5, bounceRate: 0.5, durationAvgSec: 60 },
    previous: null,
    chart: null,
    pages: [
      { value: "/home", visitors: 2, views: 2 },
      { value: "/pricing", visitors: 1, views: 1 },
    ],
    entryPages: [{ value: "/home", visitors: 2, visits: 2 }],
    exitPages: [one("/home"), one("/pricing")],
    sources: [one("google.com"), one("mail")],
    mediums: [one("email"), one("organic")],
    campaigns: [one("(not set)"), one("spring")],
    countries: [one("DE"), one("FR")],
    devices: [one("desktop"), one("phone")],
    browsers: [one("Firefox"), one("Safari")],
    systems: [one("Linux"), one("iOS")],
  },
);

example("Of no events the counts are 0, the rates null and the lists empty.", "", (daybook) => daybook.webOverview(), {
  definition: expect.any(String) as unknown,
  asOf: null,
  nowOnline: 0,
  figures: { visitors: 0, views: 0, visits: 0, viewsPerVisit: null, bounceRate: null, durationAvgSec: null },
  previous: null,
  chart: null,
  pages: [],
  entryPages: [],
  exitPages: [],
  sources: [],
  mediums: [],
  campaigns: [],
  countries: [],
  devices: [],
  browsers: [],
  systems: [],
});

example(
  "Two days are compared with the two days before, and drawn day by day.",
  `
  03-07 09:00 ann /home
  03-09 09:00 ann /home
  03-09 09:01 ann /docs
  03-10 09:00 bob /home
  `,
  (daybook) => daybook.webOverview({ startDate: "2026-03-09", endDate: "2026-03-10", interval: "day", compare: "previous_period", limit: 1 }),
  {
    definition: expect.any(String) as unknown,
    asOf: null,
    nowOnline: 0,
    figures: { visitors: 2, views: 3, visits: 2, viewsPerVisit: 1.5, bounceRate: 0.5, durationAvgSec: 30 },
    previous: { visitors: 1, views: 1, visits: 1, viewsPerVisit: 1, bounceRate: 1, durationAvgSec: 0 },
    chart: [
      {
        start: "2026-03-09T00:00:00.000Z",
        end: "2026-03-09T23:59:59.999Z",
        local: "2026-03-09",
        partial: false,
        visitors: 1,
        views: 2,
        visits: 1,
      },
      {
        start: "2026-03-10T00:00:00.000Z",
        end: "2026-03-10T23:59:59.999Z",
        local: "2026-03-10",
        partial: false,
        visitors: 1,
        views: 1,
        visits: 1,
      },
    ],
    pages: [{ value: "/home", visitors: 2, views: 2 }],
    entryPages: [{ value: "/home", visitors: 2, visits: 2 }],
    exitPages: [one("/docs")],
    sources: [{ value: "(direct)", visitors: 2, visits: 2 }],
    mediums: [{ value: "(none)", visitors: 2, visits: 2 }],
    campaigns: [{ value: "(none)", visitors: 2, visits: 2 }],
    countries: [{ value: "", visitors: 2, visits: 2 }],
    devices: [{ value: "", visitors: 2, visits: 2 }],
    browsers: [{ value: "", visitors: 2, visits: 2 }],
    systems: [{ value: "", visitors: 2, visits: 2 }],
  },
);

example(
  "Whoever has an event is a visitor, also without a page view.",
  `
  03-02 09:00 ann /home
  03-02 10:00 bob signup
  `,
  figures({}, "visitors", "views", "visits"),
  { visitors: 2, views: 1, visits: 2 },
);

example(
  "A visitor who comes back after more than 30 minutes makes a second visit.",
  `
  03-02 09:00 ann /home
  03-02 09:30 ann /docs
  03-02 10:00:00.001 ann /pricing
  `,
  figures({}, "visitors", "views", "visits", "bounceRate"),
  { visitors: 1, views: 3, visits: 2, bounceRate: 0.5 },
);

example(
  "A page view of nobody is a view, but nobody's visit.",
  `
  03-02 09:00 ann /home
  03-02 09:01 - /home
  `,
  figures({}, "visitors", "views", "visits", "viewsPerVisit"),
  { visitors: 1, views: 2, visits: 1, viewsPerVisit: 1 },
);

example(
  "A visit that began before the range adds a visitor and a view, but no visit.",
  `
  03-01 23:50 ann /home
  03-02 00:10 ann /docs
  `,
  figures({ startDate: "2026-03-02" }, "visitors", "views", "visits", "viewsPerVisit", "bounceRate", "durationAvgSec"),
  { visitors: 1, views: 1, visits: 0, viewsPerVisit: null, bounceRate: null, durationAvgSec: null },
);

example(
  "A visit that goes on after the range has its whole length and all its pages, while views end with the range.",
  `
  03-02 23:50 ann /home
  03-03 00:10 ann /docs
  `,
  figures({ endDate: "2026-03-02" }, "visitors", "views", "visits", "viewsPerVisit", "durationAvgSec"),
  { visitors: 1, views: 1, visits: 1, viewsPerVisit: 2, durationAvgSec: 1200 },
);

example(
  "A filter by page counts the views of that page, and whole visits that saw it.",
  `
  03-02 09:00 ann /home
  03-02 09:01 ann /pricing
  03-02 10:00 bob /home
  `,
  figures(where("path", "=", "/pricing"), "visitors", "views", "visits", "viewsPerVisit", "bounceRate", "durationAvgSec"),
  { visitors: 1, views: 1, visits: 1, viewsPerVisit: 2, bounceRate: 0, durationAvgSec: 60 },
);

example(
  "With a filter by page the entry pages are those of the visits that saw it.",
  `
  03-02 09:00 ann /home
  03-02 09:01 ann /pricing
  03-02 10:00 bob /docs
  `,
  list("entryPages", where("path", "=", "/pricing")),
  [["/home", 1, 1]],
);

example(
  "An event name selects the visits in which it happened.",
  `
  03-02 09:00 ann /home
  03-02 09:01 ann signup
  03-02 10:00 bob /home
  `,
  figures({ eventName: "signup" }, "visitors", "views", "visits", "viewsPerVisit"),
  { visitors: 1, views: 0, visits: 1, viewsPerVisit: 1 },
);

example(
  "A visit may count without a visitor: its matching event lies after the range.",
  `
  03-02 23:50 ann /home
  03-03 00:10 ann signup
  `,
  figures({ eventName: "signup", endDate: "2026-03-02" }, "visitors", "views", "visits"),
  { visitors: 0, views: 0, visits: 1 },
);

example(
  "A payment that a server sends makes its payer a visitor, but no visit.",
  `
  03-02 09:00 ann /home
  03-02 10:00 bob Payment value=10
  `,
  figures({}, "visitors", "visits"),
  { visitors: 2, visits: 1 },
);

example(
  "A visitor who signs up later is one visitor from the beginning.",
  `
  03-02 09:00 ~phone /home
  03-03 09:00 ann~phone signup
  03-04 09:00 ann /docs
  `,
  figures({}, "visitors", "visits"),
  { visitors: 1, visits: 3 },
);

example(
  "An alias makes one visitor and one visit of two that ran side by side.",
  `
  03-02 09:00 annie /home
  03-02 09:10 ann /docs
  03-09 09:00 annie alias:ann
  `,
  figures({}, "visitors", "views", "visits", "bounceRate"),
  { visitors: 1, views: 2, visits: 1, bounceRate: 0 },
);

example(
  "A project has its own visitors and visits.",
  `
  03-02 09:00 ann /home project=web
  03-02 09:01 ann /start project=app
  03-02 09:02 bob /start project=app
  `,
  figures({ project: "web" }, "visitors", "views", "visits"),
  { visitors: 1, views: 1, visits: 1 },
);

example(
  "A segment selects the visitors and visits of the people in it.",
  `
  03-02 09:00 ann /home
  03-03 09:00 ann buy
  03-04 09:00 bob /home
  `,
  figures(
    { ...where("identity_id", "in_segment", "buyers"), segments: { buyers: { groups: [{ conditions: [{ type: "did", eventName: "buy" }] }] } } },
    "visitors",
    "views",
    "visits",
  ),
  { visitors: 1, views: 1, visits: 2 },
);

example(
  "A trait selects the visits of people who have it today.",
  `
  03-02 09:00 ann /home
  03-03 09:00 bob /home
  03-09 09:00 ann identify plan=pro
  `,
  figures(where("person.plan", "=", "pro"), "visitors", "visits"),
  { visitors: 1, visits: 1 },
);

example(
  "The average length of visits is in seconds, to the millisecond.",
  `
  03-02 09:00:00 ann /home
  03-02 09:00:01 ann /docs
  03-02 10:00:00 bob /home
  03-02 10:00:01 bob /docs
  03-02 11:00:00 cleo /home
  `,
  figures({}, "durationAvgSec", "bounceRate", "viewsPerVisit"),
  { durationAvgSec: 0.667, bounceRate: 0.3333, viewsPerVisit: 1.6667 },
);

example(
  "A date is a day of the time zone: the 2nd of March in Berlin begins at 23:00 UTC.",
  `
  03-01 22:59 ann /home
  03-01 23:00 bob /home
  03-02 22:59 cleo /home
  03-02 23:00 dora /home
  `,
  figures({ startDate: "2026-03-02", endDate: "2026-03-02", timeZone: "Europe/Berlin" }, "visitors", "visits"),
  { visitors: 2, visits: 2 },
);

example(
  "Who had an event in the last five minutes is online, to the millisecond, and counts once.",
  `
  03-20 11:54:59.999 ann ping
  03-20 11:55:00.000 bob ping
  03-20 11:58 ~phone ping
  03-20 11:59 ~phone ping
  03-20 11:59 - ping
  `,
  online(),
  2,
);

example(
  "Who is online counts whatever the filters and the dates of the question.",
  `
  03-02 09:00 ann buy
  03-20 11:58 bob ping
  `,
  online({ eventName: "buy", startDate: "2026-03-01", endDate: "2026-03-03" }),
  1,
);

example(
  "Who is online counts in the project of the question.",
  `
  03-20 11:58 ann ping project=web
  03-20 11:59 bob ping project=app
  `,
  online({ project: "web" }),
  1,
);

example(
  "A visitor and the user who just signed up are online as one.",
  `
  03-20 11:56 ~phone /home
  03-20 11:57 ann~phone signup
  03-20 11:58 ann /welcome
  `,
  online(),
  1,
);

example(
  "A sender whose clock is a few minutes ahead is online.",
  `
  03-20 12:04 ann ping
  `,
  online(),
  1,
);

example(
  "Pages come by visitors, then by views, then by path.",
  `
  03-02 09:00 ann /a
  03-02 09:01 ann /b
  03-02 09:02 ann /b
  03-02 09:03 ann /c
  03-02 10:00 bob /c
  03-02 11:00 cleo /0
  `,
  pages({}),
  [
    ["/c", 2, 2],
    ["/b", 1, 2],
    ["/0", 1, 1],
    ["/a", 1, 1],
  ],
);

example(
  "A page is its path: queries and fragments of the url fall away.",
  `
  03-02 09:00 ann /docs?page=1
  03-02 09:01 ann /docs?page=2
  03-02 09:02 bob /docs#top
  `,
  pages({}),
  [["/docs", 2, 3]],
);

example(
  "Only page views have pages: the url of another event is not among them.",
  `
  03-02 09:00 ann /home
  03-02 09:01 ann signup url=/welcome
  `,
  pages({}),
  [["/home", 1, 1]],
);

example(
  "Which events are page views can be set.",
  `
  03-02 09:00 ann /home
  03-02 09:01 ann "Opened Screen" url=/settings
  `,
  pages({}),
  [["/settings", 1, 1]],
  { pageviewSlugs: ["opened-screen"] },
);

example(
  "A page viewed only without an identity has views but no visitors.",
  `
  03-02 09:00 - /home
  `,
  pages({}),
  [["/home", 0, 1]],
);

example(
  "A page view without a url has the empty path.",
  `
  03-02 09:00 ann Pageview
  `,
  pages({}),
  [["", 1, 1]],
);

example(
  "A visit that began before the range shows in pages, but not in entry pages.",
  `
  03-01 23:50 ann /home
  03-02 00:10 ann /docs
  03-02 09:00 bob /pricing
  `,
  async (daybook) => {
    const { pages: seen, entryPages } = await daybook.webOverview({ startDate: "2026-03-02" });
    return { pages: seen.map(({ value }) => value), entryPages: entryPages.map(({ value }) => value) };
  },
  { pages: ["/docs", "/pricing"], entryPages: ["/pricing"] },
);

example(
  "The exit page is that of the last event with a url; a visit without one exits from the empty text.",
  `
  03-02 09:00 ann /home
  03-02 09:01 ann /docs
  03-02 09:02 ann close
  03-02 10:00 bob open
  `,
  list("exitPages"),
  [
    ["", 1, 1],
    ["/docs", 1, 1],
  ],
);

example(
  "Without utm values, click id and referrer a visit is direct.",
  `
  03-02 09:00 ann /home
  `,
  origin,
  ["(direct)", "(none)", "(none)"],
);

example(
  "The utm values in the url name source, medium and campaign.",
  `
  03-02 09:00 ann /home?utm_source=news&utm_medium=email&utm_campaign=spring
  `,
  origin,
  ["news", "email", "spring"],
);

example(
  "A utm value in metadata goes before that in the url, each by itself.",
  `
  03-02 09:00 ann /home?utm_source=news&utm_medium=email utm_source=partner
  `,
  origin,
  ["partner", "email", "(not set)"],
);

example(
  "A utm value is trimmed and keeps its case.",
  `
  03-02 09:00 ann /home utm_source=" News "
  `,
  origin,
  ["News", "(not set)", "(not set)"],
);

example(
  "An empty utm value is none.",
  `
  03-02 09:00 ann /home?utm_source= referrer=https://blog.example/post
  `,
  origin,
  ["blog.example", "referral", "(not set)"],
);

example(
  "A click id of Google is paid search.",
  `
  03-02 09:00 ann /home?gclid=abc
  `,
  origin,
  ["google", "cpc", "(not set)"],
);

example(
  "A click id of Microsoft is paid search of Bing, in metadata too.",
  `
  03-02 09:00 ann /home msclkid=abc
  `,
  origin,
  ["bing", "cpc", "(not set)"],
);

example(
  "A click id of Facebook is paid.",
  `
  03-02 09:00 ann /home?fbclid=abc
  `,
  origin,
  ["facebook", "paid", "(not set)"],
);

example(
  "Beside a utm value a click id adds nothing.",
  `
  03-02 09:00 ann /home?utm_campaign=spring&gclid=abc
  `,
  origin,
  ["(not set)", "(not set)", "spring"],
);

example(
  "A click id goes before the referrer.",
  `
  03-02 09:00 ann /home?gclid=abc referrer=https://blog.example/
  `,
  origin,
  ["google", "cpc", "(not set)"],
);

example(
  "A search engine as the referrer is organic, and its www. falls away.",
  `
  03-02 09:00 ann /home referrer=https://www.bing.com/search?q=acme
  `,
  origin,
  ["bing.com", "organic", "(not set)"],
);

example(
  "A social network as the referrer is social.",
  `
  03-02 09:00 ann /home referrer=https://www.facebook.com/
  `,
  origin,
  ["facebook.com", "social", "(not set)"],
);

example(
  "Any other site as the referrer is a referral.",
  `
  03-02 09:00 ann /home referrer=https://blog.example/post
  `,
  origin,
  ["blog.example", "referral", "(not set)"],
);

example(
  "A referrer on the site itself is no source, with www. or without.",
  `
  03-02 09:00 ann /home hostname=www.acme.example referrer=https://acme.example/docs
  `,
  origin,
  ["(direct)", "(none)", "(none)"],
);

example(
  "Another host of the same company is a source.",
  `
  03-02 09:00 ann /home hostname=acme.example referrer=https://blog.acme.example/
  `,
  origin,
  ["blog.acme.example", "referral", "(not set)"],
);

example(
  "A return from a payment page is no source.",
  `
  03-02 09:00 ann /thanks referrer=https://www.paypal.com/checkout
  `,
  origin,
  ["(direct)", "(none)", "(none)"],
);

example(
  "Further sites can be kept from being sources, with the hosts below them.",
  `
  03-02 09:00 ann /home referrer=https://login.partner.example/
  `,
  origin,
  ["(direct)", "(none)", "(none)"],
  { attribution: { excludedHosts: ["partner.example"] } },
);

example(
  "Which sites are search engines can be set.",
  `
  03-02 09:00 ann /home referrer=https://find.example/?q=acme
  `,
  origin,
  ["find.example", "organic", "(not set)"],
  { attribution: { searchHosts: ["find.example"] } },
);

example(
  "Which sites are social networks can be set.",
  `
  03-02 09:00 ann /home referrer=https://club.example/
  `,
  origin,
  ["club.example", "social", "(not set)"],
  { attribution: { socialHosts: ["club.example"] } },
);

example(
  "A visit has the source of its own first event, not that of an earlier visit.",
  `
  03-02 09:00 ann /home?utm_source=mail
  03-05 09:00 ann /home
  `,
  list("sources"),
  [
    ["(direct)", 1, 1],
    ["mail", 1, 1],
  ],
);

example(
  "A source that appears during a visit does not change the visit's.",
  `
  03-02 09:00 ann /home
  03-02 09:05 ann /docs?utm_source=mail
  `,
  list("sources"),
  [["(direct)", 1, 1]],
);

example(
  "Lists come by visitors, then by visits, then by value.",
  `
  03-02 09:00 ann /home country=DE
  03-02 10:00 ann /home country=DE
  03-02 09:00 bob /home country=FR
  03-02 09:00 cleo /home country=FR
  03-02 09:00 dora /home country=IT
  03-02 09:00 emil /home country=AT
  `,
  list("countries"),
  [
    ["FR", 2, 2],
    ["DE", 1, 2],
    ["AT", 1, 1],
    ["IT", 1, 1],
  ],
);

example(
  "A visit has the device of its first event.",
  `
  03-02 09:00 ann /home device=phone
  03-02 09:05 ann /docs device=desktop
  03-02 10:00 ann /home device=desktop
  `,
  list("devices"),
  [
    ["desktop", 1, 1],
    ["phone", 1, 1],
  ],
);

example(
  "The systems are the values of os; where there is none, the empty text.",
  `
  03-02 09:00 ann /home os=iOS browser=Safari
  03-02 10:00 bob /home browser=Safari
  `,
  list("systems"),
  [
    ["", 1, 1],
    ["iOS", 1, 1],
  ],
);

example(
  "A limit holds for each list, and changes no figure.",
  `
  03-02 09:00 ann /home?utm_source=mail
  03-02 09:01 ann /docs
  03-02 10:00 bob /home?utm_source=news
  `,
  async (daybook) => {
    const { figures: all, pages: seen, sources, exitPages } = await daybook.webOverview({ limit: 1 });
    return { views: all.views, lists: [seen, sources, exitPages].map((items) => items.map(({ value }) => value)) };
  },
  { views: 3, lists: [["/home"], ["mail"], ["/docs"]] },
);

example(
  "A list has 10 entries at most unless a limit is given.",
  `
  03-02 09:00 ann /01
  03-02 09:01 ann /02
  03-02 09:02 ann /03
  03-02 09:03 ann /04
  03-02 09:04 ann /05
  03-02 09:05 ann /06
  03-02 09:06 ann /07
  03-02 09:07 ann /08
  03-02 09:08 ann /09
  03-02 09:09 ann /10
  03-02 09:10 ann /11
  `,
  async (daybook) => (await daybook.webOverview()).pages.map(({ value }) => value),
  ["/01", "/02", "/03", "/04", "/05", "/06", "/07", "/08", "/09", "/10"],
);

example(
  "A chart has the views of each day, and a visit on the day of its start.",
  `
  03-02 23:50 ann /home
  03-03 00:10 ann /docs
  03-03 09:00 bob /home
  `,
  chart({ interval: "day" }),
  [
    ["2026-03-02", 1, 1, 1],
    ["2026-03-03", 2, 2, 1],
  ],
);

example(
  "A chart begins with the visit if its only matching event comes a day later.",
  `
  03-01 23:50 ann /home
  03-02 00:10 ann signup
  `,
  chart({ interval: "day", eventName: "signup" }),
  [
    ["2026-03-01", 0, 0, 1],
    ["2026-03-02", 1, 0, 0],
  ],
);

example(
  "A chart shows the empty days of the range.",
  `
  03-03 09:00 ann /home
  `,
  chart({ interval: "day", startDate: "2026-03-02", endDate: "2026-03-04" }),
  [
    ["2026-03-02", 0, 0, 0],
    ["2026-03-03", 1, 1, 1],
    ["2026-03-04", 0, 0, 0],
  ],
);

example(
  "A chart of an open range without events has no buckets.",
  `
  03-03 09:00 ann /home
  `,
  chart({ interval: "day", eventName: "buy" }),
  [],
);

example(
  "A chart by week may begin its weeks on Sunday.",
  `
  03-01 09:00 ann /home
  03-07 09:00 ann /home
  03-08 09:00 ann /home
  `,
  chart({ interval: "week", weekStart: "sunday" }),
  [
    ["2026-03-01", 1, 2, 2],
    ["2026-03-08", 1, 1, 1],
  ],
);

example(
  "In New York the hour from 2 to 3 is missing on the 8th of March.",
  `
  03-08 06:59 ann /home
  03-08 07:00 bob /home
  `,
  chart({ interval: "hour", timeZone: "America/New_York" }),
  [
    ["2026-03-08T01:00-05:00", 1, 1, 1],
    ["2026-03-08T03:00-04:00", 1, 1, 1],
  ],
);

example(
  "Part of a day is compared with as many milliseconds before.",
  `
  03-02 07:59:59.999 ann ping
  03-02 08:00:00.000 bob ping
  03-02 08:59:59.999 cleo ping
  03-02 09:00:00.000 dora ping
  `,
  previous({ startDate: "2026-03-02T09:00:00.000Z", endDate: "2026-03-02T09:59:59.999Z", compare: "previous_period" }, "visitors", "visits"),
  { visitors: 2, visits: 2 },
);

example(
  "February is compared with the 28 days before.",
  `
  01-03 09:00 ann /home
  01-04 09:00 ann /home
  02-10 09:00 ann /home
  `,
  previous({ startDate: "2026-02-01", endDate: "2026-02-28", compare: "previous_period" }, "visits"),
  { visits: 1 },
);

example(
  "February with the interval month is compared with all of January.",
  `
  01-03 09:00 ann /home
  01-04 09:00 ann /home
  02-10 09:00 ann /home
  `,
  previous({ startDate: "2026-02-01", endDate: "2026-02-28", interval: "month", compare: "previous_period" }, "visits"),
  { visits: 2 },
);

example(
  "A day after the change of clocks is compared with the day of 23 hours before it.",
  `
  03-08 04:30 ann /home
  03-08 05:00 bob /home
  03-09 12:00 cleo /home
  `,
  previous({ startDate: "2026-03-09", endDate: "2026-03-09", timeZone: "America/New_York", compare: "previous_period" }, "visitors"),
  { visitors: 1 },
);

example(
  "A day is compared with the same date a year before.",
  `
  2025-03-01 23:59:59.999 ann /home
  2025-03-02 00:00:00.000 bob /home
  2025-03-03 00:00:00.000 cleo /home
  03-02 09:00 dora /home
  `,
  previous({ startDate: "2026-03-02", endDate: "2026-03-02", compare: "previous_year" }, "visitors"),
  { visitors: 1 },
);

example(
  "The 29th of February is compared with the 28th a year before.",
  `
  2023-02-27 09:00 ann /home
  2023-02-28 09:00 bob /home
  2023-02-28 23:59:59.999 cleo /home
  2023-03-01 00:00:00.000 dora /home
  `,
  previous({ startDate: "2024-02-29", endDate: "2024-02-29", compare: "previous_year" }, "visitors"),
  { visitors: 2 },
);

example(
  "The filters hold for the time before as well.",
  `
  03-02 09:00 ann /home
  03-02 09:01 ann /pricing
  03-02 10:00 bob /home
  03-03 09:00 ann /pricing
  `,
  previous({ ...where("path", "=", "/pricing"), startDate: "2026-03-03", endDate: "2026-03-03", compare: "previous_period" }, "visitors", "views"),
  { visitors: 1, views: 1 },
);

example(
  "Where there was nothing before, the counts before are 0 and the rates null.",
  `
  03-03 09:00 ann /home
  `,
  async (daybook) => (await daybook.webOverview({ startDate: "2026-03-03", endDate: "2026-03-03", compare: "previous_period" })).previous,
  { visitors: 0, views: 0, visits: 0, viewsPerVisit: null, bounceRate: null, durationAvgSec: null },
);

example(
  "With asOf the answer is the one from when no more events and links were known.",
  `
  03-02 09:00 ~phone /home
  03-02 09:10 ann /docs
  `,
  async (daybook) => {
    const before = await daybook.webOverview({ asOf: "latest" });
    await daybook.identify({ userId: "ann", anonymousId: "phone", createdAt: "2026-03-09T09:00:00Z" });
    const after = await daybook.webOverview({ asOf: before.asOf });
    const now = await daybook.webOverview({ asOf: "latest" });
    return [after, now].map(({ asOf, figures: { visitors, visits } }) => ({ asOf, visitors, visits }));
  },
  [
    { asOf: 2, visitors: 2, visits: 2 },
    { asOf: 3, visitors: 1, visits: 1 },
  ],
);

example(
  "Two questions that mean the same have one definition, as a default and its value do.",
  "",
  async (daybook) => {
    const [plain, defaults, other] = await Promise.all([{}, { limit: 10, timeZone: "UTC" }, { limit: 5 }].map((input) => daybook.webOverview(input)));
    return [defaults?.definition === plain?.definition, other?.definition === plain?.definition];
  },
  [true, false],
);

example(
  "A member that is null is the same as an absent one.",
  `
  03-02 09:00 ann /home
  `,
  figures(
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
      compare: null,
      limit: null,
    },
    "visits",
  ),
  { visits: 1 },
);

example("A comparison needs both dates.", "", refused({ startDate: "2026-03-02", compare: "previous_period" }), ["invalid_parameter", "compare"]);

example(
  "A comparison with the time before 1970 is refused.",
  "",
  refused({ startDate: "1970-01-01", endDate: "1970-01-01", compare: "previous_period" }),
  ["invalid_parameter", "compare"],
);

example("A comparison that nobody knows is refused.", "", refused({ compare: "last_week" as "previous_year" }), ["invalid_parameter", "compare"]);

example("A chart of one bucket is no chart: the interval total is refused.", "", refused({ interval: "total" as "day" }), [
  "invalid_parameter",
  "interval",
]);

example("A limit above 1,000 is refused.", "", refused({ limit: 1001 }), ["invalid_parameter", "limit"]);

example("The query has no breakdown.", "", refused({ breakdown: { fields: ["os"] } } as WebOverviewInput), ["unknown_parameter", "breakdown"]);

example("The query does not take a user.", "", refused({ userId: "ann" } as WebOverviewInput), ["unknown_parameter", "userId"]);

example("A zone that nobody knows is refused.", "", refused({ timeZone: "Europe/Atlantis" }), ["invalid_parameter", "timeZone"]);
