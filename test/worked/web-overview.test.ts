import type { Daybook, WebFigures, WebOverviewInput } from "daybook";
import { expect } from "vitest";
import { example, refusal } from "./example.js";

type Ask = (daybook: Daybook) => Promise<unknown>;
type ListOfVisits = "entryPages" | "exitPages" | "sources" | "mediums" | "campaigns" | "countries" | "devices" | "browsers" | "systems";

const pick = (figures: WebFigures | null, names: readonly (keyof WebFigures)[]) =>
  figures === null ? null : Object.fromEntries(names.map((name) => [name, figures[name]]));

/** The given figures of the range. */
const figures =
  (input: WebOverviewInput, ...names: readonly (keyof WebFigures)[]): Ask =>
  async (daybook) =>
    pick((await daybook.webOverview(input)).figures, names);

/** The given figures of the previous period. */
const previous =
  (input: WebOverviewInput, ...names: readonly (keyof WebFigures)[]): Ask =>
  async (daybook) =>
    pick((await daybook.webOverview(input)).previous, names);

/** The path, visitors and views of each page. */
const pages =
  (input: WebOverviewInput): Ask =>
  async (daybook) =>
    (await daybook.webOverview(input)).pages.map(({ value, visitors, views }) => [value, visitors, views]);

/** The visitors and visits of each value of a list. */
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

/** The name, visitors, views and visits of each bucket. */
const chart =
  (input: WebOverviewInput): Ask =>
  async (daybook) =>
    (await daybook.webOverview(input)).chart?.map(({ local, visitors, views, visits }) => [local, visitors, views, visits]);

/** The code and parameter of the error that refuses the query. */
const refused = (input: WebOverviewInput) => (daybook: Daybook) => refusal(daybook.webOverview(input));

/** Input with one filter. */
const where = (fieldName: string, operator: string, value?: unknown): WebOverviewInput => ({
  filterGroups: [{ filters: [{ fieldName, operator, value }] }],
});

const one = (value: string) => ({ value, visitors: 1, visits: 1 });

example(
  "The overview has figures and lists of pages, sources, countries and devices.",
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

example("Without events, counts are 0, rates are null and lists are empty.", "", (daybook) => daybook.webOverview(), {
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
  "A range of two days is compared with the two days before and has a chart by day.",
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
  "Every person with an event is a visitor, even without a page view.",
  `
  03-02 09:00 ann /home
  03-02 10:00 bob signup
  `,
  figures({}, "visitors", "views", "visits"),
  { visitors: 2, views: 1, visits: 2 },
);

example(
  "A visitor who returns after more than 30 minutes has a second visit.",
  `
  03-02 09:00 ann /home
  03-02 09:30 ann /docs
  03-02 10:00:00.001 ann /pricing
  `,
  figures({}, "visitors", "views", "visits", "bounceRate"),
  { visitors: 1, views: 3, visits: 2, bounceRate: 0.5 },
);

example(
  "A page view without an identity counts as a view but not as a visit.",
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
  "A visit that continues after the range counts with its full length and all its pages, but views after the range do not.",
  `
  03-02 23:50 ann /home
  03-03 00:10 ann /docs
  `,
  figures({ endDate: "2026-03-02" }, "visitors", "views", "visits", "viewsPerVisit", "durationAvgSec"),
  { visitors: 1, views: 1, visits: 1, viewsPerVisit: 2, durationAvgSec: 1200 },
);

example(
  "A filter by page counts the views of that page and the full visits that include it.",
  `
  03-02 09:00 ann /home
  03-02 09:01 ann /pricing
  03-02 10:00 bob /home
  `,
  figures(where("path", "=", "/pricing"), "visitors", "views", "visits", "viewsPerVisit", "bounceRate", "durationAvgSec"),
  { visitors: 1, views: 1, visits: 1, viewsPerVisit: 2, bounceRate: 0, durationAvgSec: 60 },
);

example(
  "With a filter by page, the entry pages are those of the visits that include it.",
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
  "A visit can count without a visitor if its matching event is after the range.",
  `
  03-02 23:50 ann /home
  03-03 00:10 ann signup
  `,
  figures({ eventName: "signup", endDate: "2026-03-02" }, "visitors", "views", "visits"),
  { visitors: 0, views: 0, visits: 1 },
);

example(
  "A server-side payment adds a visitor but no visit.",
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
  "An alias merges two simultaneous visits into one visit of one visitor.",
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
  "A trait filter selects people by the current value of the trait.",
  `
  03-02 09:00 ann /home
  03-03 09:00 bob /home
  03-09 09:00 ann identify plan=pro
  `,
  figures(where("person.plan", "=", "pro"), "visitors", "visits"),
  { visitors: 1, visits: 1 },
);

example(
  "The average duration of visits is in seconds, with millisecond precision.",
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
  "Dates follow the time zone: March 2 in Berlin begins at 23:00 UTC.",
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
  "A person with an event in the last five minutes is online, to the millisecond, and counts once.",
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
  "The online count ignores the filters and dates of the query.",
  `
  03-02 09:00 ann buy
  03-20 11:58 bob ping
  `,
  online({ eventName: "buy", startDate: "2026-03-01", endDate: "2026-03-03" }),
  1,
);

example(
  "The online count respects the project of the query.",
  `
  03-20 11:58 ann ping project=web
  03-20 11:59 bob ping project=app
  `,
  online({ project: "web" }),
  1,
);

example(
  "A visitor and the user who just signed up count as one person online.",
  `
  03-20 11:56 ~phone /home
  03-20 11:57 ann~phone signup
  03-20 11:58 ann /welcome
  `,
  online(),
  1,
);

example(
  "A person with an event a few minutes in the future is online.",
  `
  03-20 12:04 ann ping
  `,
  online(),
  1,
);

example(
  "Pages are sorted by visitors, then by views, then by path.",
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
  "A page is the path of the url, without query and fragment.",
  `
  03-02 09:00 ann /docs?page=1
  03-02 09:01 ann /docs?page=2
  03-02 09:02 bob /docs#top
  `,
  pages({}),
  [["/docs", 2, 3]],
);

example(
  "Only page views count as pages, not other events with a url.",
  `
  03-02 09:00 ann /home
  03-02 09:01 ann signup url=/welcome
  `,
  pages({}),
  [["/home", 1, 1]],
);

example(
  "The events that count as page views are configurable.",
  `
  03-02 09:00 ann /home
  03-02 09:01 ann "Opened Screen" url=/settings
  `,
  pages({}),
  [["/settings", 1, 1]],
  { pageviewSlugs: ["opened-screen"] },
);

example(
  "A page with only views without an identity has no visitors.",
  `
  03-02 09:00 - /home
  `,
  pages({}),
  [["/home", 0, 1]],
);

example(
  "A page view without a url has an empty path.",
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
  "The exit page is that of the last event with a url, or the empty string if there is none.",
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
  "Each utm value in the metadata takes precedence over that in the url.",
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
  "An empty utm value is ignored.",
  `
  03-02 09:00 ann /home?utm_source= referrer=https://blog.example/post
  `,
  origin,
  ["blog.example", "referral", "(not set)"],
);

example(
  "A Google click id is paid search.",
  `
  03-02 09:00 ann /home?gclid=abc
  `,
  origin,
  ["google", "cpc", "(not set)"],
);

example(
  "A Microsoft click id is paid search from Bing, also in metadata.",
  `
  03-02 09:00 ann /home msclkid=abc
  `,
  origin,
  ["bing", "cpc", "(not set)"],
);

example(
  "A Facebook click id has the medium paid.",
  `
  03-02 09:00 ann /home?fbclid=abc
  `,
  origin,
  ["facebook", "paid", "(not set)"],
);

example(
  "A click id is ignored if there is a utm value.",
  `
  03-02 09:00 ann /home?utm_campaign=spring&gclid=abc
  `,
  origin,
  ["(not set)", "(not set)", "spring"],
);

example(
  "A click id takes precedence over the referrer.",
  `
  03-02 09:00 ann /home?gclid=abc referrer=https://blog.example/
  `,
  origin,
  ["google", "cpc", "(not set)"],
);

example(
  "A search engine referrer has the medium organic, and its source omits www.",
  `
  03-02 09:00 ann /home referrer=https://www.bing.com/search?q=acme
  `,
  origin,
  ["bing.com", "organic", "(not set)"],
);

example(
  "A social network referrer has the medium social.",
  `
  03-02 09:00 ann /home referrer=https://www.facebook.com/
  `,
  origin,
  ["facebook.com", "social", "(not set)"],
);

example(
  "Any other referrer has the medium referral.",
  `
  03-02 09:00 ann /home referrer=https://blog.example/post
  `,
  origin,
  ["blog.example", "referral", "(not set)"],
);

example(
  "The site's own host is not a source, with or without www.",
  `
  03-02 09:00 ann /home hostname=www.acme.example referrer=https://acme.example/docs
  `,
  origin,
  ["(direct)", "(none)", "(none)"],
);

example(
  "Another host of the same domain is a source.",
  `
  03-02 09:00 ann /home hostname=acme.example referrer=https://blog.acme.example/
  `,
  origin,
  ["blog.acme.example", "referral", "(not set)"],
);

example(
  "Returning from a payment page is not a source.",
  `
  03-02 09:00 ann /thanks referrer=https://www.paypal.com/checkout
  `,
  origin,
  ["(direct)", "(none)", "(none)"],
);

example(
  "More hosts can be excluded as sources, including their subdomains.",
  `
  03-02 09:00 ann /home referrer=https://login.partner.example/
  `,
  origin,
  ["(direct)", "(none)", "(none)"],
  { attribution: { excludedHosts: ["partner.example"] } },
);

example(
  "The hosts of search engines are configurable.",
  `
  03-02 09:00 ann /home referrer=https://find.example/?q=acme
  `,
  origin,
  ["find.example", "organic", "(not set)"],
  { attribution: { searchHosts: ["find.example"] } },
);

example(
  "The hosts of social networks are configurable.",
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
  "A new source during a visit does not change the source of the visit.",
  `
  03-02 09:00 ann /home
  03-02 09:05 ann /docs?utm_source=mail
  `,
  list("sources"),
  [["(direct)", 1, 1]],
);

example(
  "Lists are sorted by visitors, then by visits, then by value.",
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
  "Systems are the values of os, and a missing value is the empty string.",
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
  "A limit applies to each list but not to the figures.",
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
  "A list has at most 10 entries by default.",
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
  "A chart counts views on their own day and a visit on the day it starts.",
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
  "A chart begins with the start of a visit, even if its only matching event is on the next day.",
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
  "In New York, the chart has no hour from 2:00 to 3:00 on March 8.",
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
  "A part of a day is compared with the same number of milliseconds before it.",
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
  "The day after daylight saving time begins is compared with the previous day of 23 hours.",
  `
  03-08 04:30 ann /home
  03-08 05:00 bob /home
  03-09 12:00 cleo /home
  `,
  previous({ startDate: "2026-03-09", endDate: "2026-03-09", timeZone: "America/New_York", compare: "previous_period" }, "visitors"),
  { visitors: 1 },
);

example(
  "With previous_year, a day is compared with the same date one year earlier.",
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
  "With previous_year, February 29 is compared with February 28.",
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
  "The filters also apply to the previous period.",
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
  "If the previous period has no events, its counts are 0 and its rates null.",
  `
  03-03 09:00 ann /home
  `,
  async (daybook) => (await daybook.webOverview({ startDate: "2026-03-03", endDate: "2026-03-03", compare: "previous_period" })).previous,
  { visitors: 0, views: 0, visits: 0, viewsPerVisit: null, bounceRate: null, durationAvgSec: null },
);

example(
  "With asOf, the answer ignores events and links that arrive later.",
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
  "Equivalent queries have the same definition, such as a default and its explicit value.",
  "",
  async (daybook) => {
    const [plain, defaults, other] = await Promise.all([{}, { limit: 10, timeZone: "UTC" }, { limit: 5 }].map((input) => daybook.webOverview(input)));
    return [defaults?.definition === plain?.definition, other?.definition === plain?.definition];
  },
  [true, false],
);

example(
  "A null member is treated as absent.",
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
  "A comparison with a period before 1970 is refused.",
  "",
  refused({ startDate: "1970-01-01", endDate: "1970-01-01", compare: "previous_period" }),
  ["invalid_parameter", "compare"],
);

example("An unknown comparison is refused.", "", refused({ compare: "last_week" as "previous_year" }), ["invalid_parameter", "compare"]);

example("A chart with the interval total is refused.", "", refused({ interval: "total" as "day" }), [
  "invalid_parameter",
  "interval",
]);

example("A limit above 1,000 is refused.", "", refused({ limit: 1001 }), ["invalid_parameter", "limit"]);

example("The query has no breakdown parameter.", "", refused({ breakdown: { fields: ["os"] } } as WebOverviewInput), [
  "unknown_parameter",
  "breakdown",
]);

example("The query has no userId parameter.", "", refused({ userId: "ann" } as WebOverviewInput), ["unknown_parameter", "userId"]);

example("An unknown time zone is refused.", "", refused({ timeZone: "Europe/Atlantis" }), ["invalid_parameter", "timeZone"]);
