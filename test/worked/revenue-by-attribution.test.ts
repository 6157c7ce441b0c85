import type { DaybookError, RevenueByAttribution } from "daybook";
import { DAY } from "../query/reports/layouts.js";
import { codeAndParam, example } from "./example.js";

const BY_IDENTITY = { project: "default", level: "identity" } as const;
/** The dimension and revenue of each row. */
const revenues = ({ rows }: RevenueByAttribution) => rows.map(({ dimension, revenue }) => `${dimension} ${revenue}`);
const orders = ({ rows }: RevenueByAttribution) => rows.map(({ dimension, orders: count }) => `${dimension} ${count}`);

example(
  "A payment counts for the source that brought the payer.",
  `
  03-02 09:00 ann /?utm_source=news&utm_medium=mail&utm_campaign=spring
  03-03 09:00 ann Payment value=50
  `,
  (daybook) => daybook.revenueByAttribution({ project: "default" }),
  { currency: "USD", rows: [{ dimension: "news", revenue: 50, orders: 1 }], unconverted: [] },
);

example(
  "Without payments, there are no rows, even if there are visits.",
  `
  03-02 09:00 ann /?utm_source=news
  `,
  (daybook) => daybook.revenueByAttribution({ project: "default" }),
  { currency: "USD", rows: [], unconverted: [] },
);

example(
  "The first touch, the default, is the earliest up to the payment, and the last touch is the latest.",
  `
  03-02 09:00 ann /?utm_source=news
  03-03 09:00 ann /?utm_source=ads
  03-04 09:00 ann /?utm_source=blog
  03-04 09:30 ann Payment value=50
  `,
  async (daybook) => [
    revenues(await daybook.revenueByAttribution(BY_IDENTITY)),
    revenues(await daybook.revenueByAttribution({ ...BY_IDENTITY, model: "first_touch" })),
    revenues(await daybook.revenueByAttribution({ ...BY_IDENTITY, model: "last_touch" })),
  ],
  [["news 50"], ["news 50"], ["blog 50"]],
);

example(
  "Source, medium and campaign show the same revenue, and a value missing from the touch is (not set).",
  `
  03-02 09:00 ann /?utm_source=news&utm_medium=mail
  03-03 09:00 ann Payment value=50
  `,
  async (daybook) => [
    revenues(await daybook.revenueByAttribution({ ...BY_IDENTITY, dimension: "source" })),
    revenues(await daybook.revenueByAttribution({ ...BY_IDENTITY, dimension: "medium" })),
    revenues(await daybook.revenueByAttribution({ ...BY_IDENTITY, dimension: "campaign" })),
  ],
  [["news 50"], ["mail 50"], ["(not set) 50"]],
);

example(
  "Without a touch, the source is (direct), and the medium and campaign are (none).",
  `
  03-02 09:00 ann /
  03-03 09:00 ann Payment value=50
  `,
  async (daybook) => [
    revenues(await daybook.revenueByAttribution({ ...BY_IDENTITY, dimension: "source" })),
    revenues(await daybook.revenueByAttribution({ ...BY_IDENTITY, dimension: "medium" })),
    revenues(await daybook.revenueByAttribution({ ...BY_IDENTITY, dimension: "campaign" })),
  ],
  [["(direct) 50"], ["(none) 50"], ["(none) 50"]],
);

example(
  "A direct visit does not replace the last touch.",
  `
  03-02 09:00 ann /?utm_source=news
  03-03 09:00 ann /
  03-04 09:00 ann Payment value=50
  `,
  async (daybook) => revenues(await daybook.revenueByAttribution({ ...BY_IDENTITY, model: "last_touch" })),
  ["news 50"],
);

example(
  "A referrer from another site is a touch: its source is the host without www, its medium organic, social or referral.",
  `
  03-02 09:00 ann / referrer=https://www.google.com/search
  03-02 09:01 bob / referrer=https://www.facebook.com/
  03-02 09:02 cleo / referrer=https://www.news.example/a/b
  03-03 09:00 ann Payment value=30
  03-03 09:01 bob Payment value=20
  03-03 09:02 cleo Payment value=10
  `,
  async (daybook) => [
    revenues(await daybook.revenueByAttribution({ ...BY_IDENTITY, dimension: "source" })),
    revenues(await daybook.revenueByAttribution({ ...BY_IDENTITY, dimension: "medium" })),
    revenues(await daybook.revenueByAttribution({ ...BY_IDENTITY, dimension: "campaign" })),
  ],
  [["google.com 30", "facebook.com 20", "news.example 10"], ["organic 30", "social 20", "referral 10"], ["(not set) 60"]],
);

example(
  "The hosts of search engines and social networks are configurable.",
  `
  03-02 09:00 ann / referrer=https://find.example/
  03-02 09:01 bob / referrer=https://club.example/
  03-02 09:02 cleo / referrer=https://www.google.com/
  03-03 09:00 ann Payment value=30
  03-03 09:01 bob Payment value=20
  03-03 09:02 cleo Payment value=10
  `,
  async (daybook) => revenues(await daybook.revenueByAttribution({ ...BY_IDENTITY, dimension: "medium" })),
  ["organic 30", "social 20", "referral 10"],
  { attribution: { searchHosts: ["find.example"], socialHosts: ["club.example"] } },
);

example(
  "The site's own host is not a source, with or without www, but another host of the same domain is.",
  `
  03-02 09:00 ann /cart hostname=shop.example referrer=https://www.shop.example/shoes
  03-02 09:01 bob /cart hostname=shop.example referrer=https://blog.shop.example/
  03-03 09:00 ann Payment value=30
  03-03 09:01 bob Payment value=20
  `,
  async (daybook) => revenues(await daybook.revenueByAttribution(BY_IDENTITY)),
  ["(direct) 30", "blog.shop.example 20"],
);

example(
  "Returning from a payment page is not a touch.",
  `
  03-02 09:00 ann /?utm_source=news
  03-02 09:10 ann /thanks referrer=https://www.paypal.com/checkout
  03-02 09:11 ann Payment value=50
  `,
  async (daybook) => revenues(await daybook.revenueByAttribution({ ...BY_IDENTITY, model: "last_touch" })),
  ["news 50"],
);

example(
  "More hosts can be excluded, including their subdomains.",
  `
  03-02 09:00 ann / referrer=https://desk.partner.example/
  03-02 09:10 ann Payment value=50
  `,
  async (daybook) => revenues(await daybook.revenueByAttribution(BY_IDENTITY)),
  ["(direct) 50"],
  { attribution: { excludedHosts: ["partner.example"] } },
);

example(
  "A click id sets source and medium: gclid is google, msclkid is bing and fbclid is facebook.",
  `
  03-02 09:00 ann /?gclid=1
  03-02 09:01 bob /?msclkid=1
  03-02 09:02 cleo / fbclid=1
  03-03 09:00 ann Payment value=30
  03-03 09:01 bob Payment value=20
  03-03 09:02 cleo Payment value=10
  `,
  async (daybook) => [
    revenues(await daybook.revenueByAttribution({ ...BY_IDENTITY, dimension: "source" })),
    revenues(await daybook.revenueByAttribution({ ...BY_IDENTITY, dimension: "medium" })),
  ],
  [
    ["google 30", "bing 20", "facebook 10"],
    ["cpc 50", "paid 10"],
  ],
);

example(
  "A click id is ignored if there is any utm value.",
  `
  03-02 09:00 ann /?utm_campaign=spring&gclid=1
  03-03 09:00 ann Payment value=50
  `,
  async (daybook) => [
    revenues(await daybook.revenueByAttribution({ ...BY_IDENTITY, dimension: "source" })),
    revenues(await daybook.revenueByAttribution({ ...BY_IDENTITY, dimension: "campaign" })),
  ],
  [["(not set) 50"], ["spring 50"]],
);

example(
  "A click id takes precedence over the referrer: a visit from a search page with a click id is paid, not organic.",
  `
  03-02 09:00 ann /?gclid=1 referrer=https://www.google.com/
  03-03 09:00 ann Payment value=50
  `,
  async (daybook) => revenues(await daybook.revenueByAttribution({ ...BY_IDENTITY, dimension: "medium" })),
  ["cpc 50"],
);

example(
  "Each utm value is read from the metadata, or from the query of the url if the metadata has none.",
  `
  03-02 09:00 ann /?utm_source=news&utm_medium=mail utm_source=partner
  03-03 09:00 ann Payment value=50
  `,
  async (daybook) => [
    revenues(await daybook.revenueByAttribution({ ...BY_IDENTITY, dimension: "source" })),
    revenues(await daybook.revenueByAttribution({ ...BY_IDENTITY, dimension: "medium" })),
  ],
  [["partner 50"], ["mail 50"]],
);

example(
  "An empty utm value is ignored.",
  `
  03-02 09:00 ann /?utm_source= utm_medium=""
  03-03 09:00 ann Payment value=50
  `,
  async (daybook) => revenues(await daybook.revenueByAttribution(BY_IDENTITY)),
  ["(direct) 50"],
);

example(
  "Labels are trimmed and keep their case.",
  `
  03-02 09:00 ann / utm_source=" News "
  03-02 09:00 bob / utm_source=news
  03-03 09:00 ann Payment value=50
  03-03 09:00 bob Payment value=50
  `,
  async (daybook) => revenues(await daybook.revenueByAttribution(BY_IDENTITY)),
  ["News 50", "news 50"],
);

example(
  "At level account, the default, touches of other members count; at level identity, only the payer's own.",
  `
  03-01 08:00 ann group:acme
  03-01 08:01 bob group:acme
  03-02 09:00 bob /?utm_source=news
  03-03 09:00 ann /?utm_source=ads
  03-04 09:00 ann Payment value=50
  `,
  async (daybook) => [
    revenues(await daybook.revenueByAttribution({ project: "default" })),
    revenues(await daybook.revenueByAttribution({ project: "default", level: "account" })),
    revenues(await daybook.revenueByAttribution({ project: "default", level: "identity" })),
  ],
  [["news 50"], ["news 50"], ["ads 50"]],
);

example(
  "At level account, only the payer's own touches count if the payer has no company.",
  `
  03-02 09:00 bob /?utm_source=news company=acme
  03-03 09:00 ann /?utm_source=ads
  03-04 09:00 ann Payment value=50
  `,
  async (daybook) => revenues(await daybook.revenueByAttribution({ project: "default", level: "account" })),
  ["ads 50"],
);

example(
  "A touch belongs to the member's company at the time, so it does not follow the member to a new company.",
  `
  03-01 08:00 bob group:globex
  03-02 09:00 bob /?utm_source=news
  03-03 08:00 bob group:acme
  03-04 09:00 bob Payment value=50
  `,
  async (daybook) => [
    revenues(await daybook.revenueByAttribution({ project: "default", level: "account" })),
    revenues(await daybook.revenueByAttribution({ project: "default", level: "identity" })),
  ],
  [["(direct) 50"], ["news 50"]],
);

example(
  "A touch before a person's first company belongs to that company, including touches of anonymous visits.",
  `
  03-02 09:00 ~phone /?utm_source=news
  03-03 09:00 bob~phone signup
  03-04 09:00 bob group:acme
  03-04 09:01 ann group:acme
  03-05 09:00 ann Payment value=50
  `,
  async (daybook) => revenues(await daybook.revenueByAttribution({ project: "default", level: "account" })),
  ["news 50"],
);

example(
  "Touches of all projects and of any time count, but only payments in the project.",
  `
  2024-05-01 09:00 ann /?utm_source=news project=blog
  03-03 09:00 ann Payment value=50 project=shop
  03-03 09:01 ann Payment value=700 project=market
  `,
  async (daybook) => revenues(await daybook.revenueByAttribution({ project: "shop" })),
  ["news 50"],
);

example(
  "The maximum age of a touch is configurable.",
  `
  03-01 09:00 ann /?utm_source=news
  03-09 09:00 ann /?utm_source=ads
  03-10 09:00 ann Payment value=50
  `,
  async (daybook) => revenues(await daybook.revenueByAttribution({ ...BY_IDENTITY, model: "first_touch" })),
  ["ads 50"],
  { attribution: { lookbackMs: 7 * DAY } },
);

example(
  "A touch after the payment does not count for it.",
  `
  03-02 09:00 ann Payment value=50
  03-02 09:00:00.001 ann /?utm_source=news
  `,
  async (daybook) => revenues(await daybook.revenueByAttribution({ ...BY_IDENTITY, model: "last_touch" })),
  ["(direct) 50"],
);

example(
  "In the same millisecond, a touch with a smaller id than the payment counts, and one with a greater id does not.",
  `
  03-02 09:00 ann /?utm_source=news id=00000000-0000-4000-8000-000000000001
  03-02 09:00 ann Payment value=50 id=00000000-0000-4000-8000-000000000002
  03-02 09:00 ann /?utm_source=ads id=00000000-0000-4000-8000-000000000003
  `,
  async (daybook) => revenues(await daybook.revenueByAttribution({ ...BY_IDENTITY, model: "last_touch" })),
  ["news 50"],
);

example(
  "If touches have the same millisecond, the smallest id is the first touch and the greatest the last.",
  `
  03-02 09:00 ann /?utm_source=ads id=00000000-0000-4000-8000-000000000002
  03-02 09:00 ann /?utm_source=news id=00000000-0000-4000-8000-000000000001
  03-03 09:00 ann Payment value=50
  `,
  async (daybook) => [
    revenues(await daybook.revenueByAttribution({ ...BY_IDENTITY, model: "first_touch" })),
    revenues(await daybook.revenueByAttribution({ ...BY_IDENTITY, model: "last_touch" })),
  ],
  [["news 50"], ["ads 50"]],
);

example(
  "A payment can be its own touch.",
  `
  03-02 09:00 ann Payment value=50 url=/buy?utm_source=news
  `,
  async (daybook) => revenues(await daybook.revenueByAttribution(BY_IDENTITY)),
  ["news 50"],
);

example(
  "A payment with neither a user id nor an anonymous id has no touch.",
  `
  03-02 09:00 - Payment value=50 url=/buy?utm_source=news
  `,
  async (daybook) => revenues(await daybook.revenueByAttribution(BY_IDENTITY)),
  ["(direct) 50"],
);

example(
  "At level account, a payment with neither a user id nor an anonymous id has no touch, even if its company has some.",
  `
  03-02 09:00 bob /?utm_source=news company=acme
  03-03 09:00 - Payment value=50 company=acme
  03-03 09:01 ann Payment value=20 company=acme
  `,
  async (daybook) => revenues(await daybook.revenueByAttribution({ project: "default", level: "account" })),
  ["(direct) 50", "news 20"],
);

example(
  "A visitor's touch belongs to the user after the sign-up, even if the payment has only the user id.",
  `
  03-02 09:00 ~phone /?utm_source=news
  03-03 09:00 ann~phone signup
  03-04 09:00 ann Payment value=50
  `,
  async (daybook) => revenues(await daybook.revenueByAttribution(BY_IDENTITY)),
  ["news 50"],
);

example(
  "Merging two users attributes revenue to the other user's touch, and undoing the merge restores it.",
  `
  03-02 09:00 anna /?utm_source=news
  03-04 09:00 ann Payment value=50
  03-10 09:00 anna alias:ann id=00000000-0000-4000-8000-000000000001
  `,
  async (daybook) => {
    const merged = revenues(await daybook.revenueByAttribution(BY_IDENTITY));
    await daybook.unlink("00000000-0000-4000-8000-000000000001");
    return [merged, revenues(await daybook.revenueByAttribution(BY_IDENTITY))];
  },
  [["news 50"], ["(direct) 50"]],
);

example(
  "A refund counts for the touch of its order, even if a later touch exists.",
  `
  03-02 09:00 ann /?utm_source=news
  03-03 09:00 ann Payment value=100 order=o1
  03-04 09:00 ann /?utm_source=ads
  03-05 09:00 ann Refund value=30 order=o1
  `,
  (daybook) => daybook.revenueByAttribution({ ...BY_IDENTITY, model: "last_touch" }),
  { currency: "USD", rows: [{ dimension: "news", revenue: 70, orders: 1 }], unconverted: [] },
);

example(
  "A refund counts for the touch of its order, regardless of who sends it.",
  `
  03-02 09:00 ann /?utm_source=news
  03-03 09:00 ann Payment value=100 order=o1
  03-05 09:00 - Refund value=30 order=o1
  03-05 09:01 bob Refund value=20 order=o1 url=/?utm_source=ads
  `,
  async (daybook) => revenues(await daybook.revenueByAttribution(BY_IDENTITY)),
  ["news 50"],
);

example(
  "A refund without an order key, or with an unknown one, counts for its own touch.",
  `
  03-02 09:00 ann /?utm_source=news
  03-03 09:00 ann Payment value=100 order=o1
  03-04 09:00 ann /?utm_source=ads
  03-05 09:00 ann Refund value=30
  03-05 09:01 ann Refund value=20 order=o7
  `,
  async (daybook) => revenues(await daybook.revenueByAttribution({ ...BY_IDENTITY, model: "last_touch" })),
  ["news 100", "ads -50"],
);

example(
  "A refund in the range counts for the source of its order, even if the order was paid before the range.",
  `
  01-02 09:00 ann /?utm_source=news
  01-03 09:00 ann Payment value=100 order=o1
  03-04 09:00 ann /?utm_source=ads
  03-05 09:00 ann Refund value=30 order=o1
  `,
  (daybook) => daybook.revenueByAttribution({ ...BY_IDENTITY, model: "last_touch" }),
  { currency: "USD", rows: [{ dimension: "news", revenue: -30, orders: 0 }], unconverted: [] },
);

example(
  "Orders are the distinct order keys plus the payments without a key, and refunds do not reduce them.",
  `
  03-03 09:00 ann Payment value=10 order=o1
  03-03 09:01 ann Payment value=10 order=o1
  03-03 09:02 ann Payment value=10
  03-03 09:03 ann Payment value=10
  03-04 09:00 ann Refund value=10 order=o1
  `,
  (daybook) => daybook.revenueByAttribution(BY_IDENTITY),
  { currency: "USD", rows: [{ dimension: "(direct)", revenue: 20, orders: 3 }], unconverted: [] },
);

example(
  "An order paid twice counts for the earliest payer.",
  `
  03-02 09:00 ann /?utm_source=news
  03-02 09:00 bob /?utm_source=ads
  03-03 09:01 bob Payment value=10 order=o1
  03-03 09:00 ann Payment value=10 order=o1
  `,
  async (daybook) => revenues(await daybook.revenueByAttribution(BY_IDENTITY)),
  ["news 10"],
);

example(
  "Rows are sorted by revenue, then by orders, then by name.",
  `
  03-02 09:00 ann Payment value=30 url=/?utm_source=c
  03-02 09:00 bob Payment value=20 url=/?utm_source=b
  03-02 09:01 bob Payment value=10 url=/?utm_source=b
  03-02 09:00 cleo Payment value=30 url=/?utm_source=a
  03-02 09:00 dan Payment value=31 url=/?utm_source=d
  03-02 09:00 eve Refund value=1 url=/?utm_source=e
  `,
  async (daybook) => orders(await daybook.revenueByAttribution(BY_IDENTITY)),
  ["d 1", "b 2", "a 1", "c 1", "e 0"],
);

example(
  "A limit keeps the rows with the most revenue.",
  `
  03-02 09:00 ann Payment value=10 url=/?utm_source=a
  03-02 09:00 bob Payment value=30 url=/?utm_source=b
  03-02 09:00 cleo Payment value=20 url=/?utm_source=c
  `,
  async (daybook) => revenues(await daybook.revenueByAttribution({ ...BY_IDENTITY, limit: 2 })),
  ["b 30", "c 20"],
);

example(
  "At most 20 rows are shown by default.",
  "",
  async (daybook) => {
    const paid = { name: "Payment", value: 1, createdAt: "2026-03-02T09:00:00Z" };
    await daybook.ingest(Array.from({ length: 21 }, (_, at) => ({ ...paid, userId: `user ${at}`, url: `/?utm_source=s${at}` })));
    const byDefault = await daybook.revenueByAttribution(BY_IDENTITY);
    const all = await daybook.revenueByAttribution({ ...BY_IDENTITY, limit: 100 });
    return [byDefault.rows.length, all.rows.length];
  },
  [20, 21],
);

example(
  "The default range is the 30 times 24 hours before now, both ends included.",
  `
  02-18 11:59:59.999 ann Payment value=1
  02-18 12:00 ann Payment value=10
  03-20 12:00 ann Payment value=100
  03-20 12:00:00.001 ann Payment value=1000
  `,
  async (daybook) => revenues(await daybook.revenueByAttribution(BY_IDENTITY)),
  ["(direct) 110"],
);

example(
  "Dates are whole UTC days.",
  `
  03-01 23:59:59.999 ann Payment value=1
  03-02 00:00 ann Payment value=10
  03-03 23:59:59.999 ann Payment value=100
  03-04 00:00 ann Payment value=1000
  `,
  async (daybook) => revenues(await daybook.revenueByAttribution({ ...BY_IDENTITY, startDate: "2026-03-02", endDate: "2026-03-03" })),
  ["(direct) 110"],
);

example(
  "A time with an offset is converted to UTC, with millisecond precision.",
  `
  03-02 08:59:59.999 ann Payment value=1
  03-02 09:00 ann Payment value=10
  03-02 10:00 ann Payment value=100
  03-02 10:00:00.001 ann Payment value=1000
  `,
  async (daybook) =>
    revenues(await daybook.revenueByAttribution({ ...BY_IDENTITY, startDate: "2026-03-02T10:00:00+01:00", endDate: "2026-03-02T10:00:00Z" })),
  ["(direct) 110"],
);

example(
  "Amounts in a currency without a rate are in no row and are listed separately, net of refunds and with orders.",
  `
  03-02 09:00 ann Payment value=10
  03-02 09:01 ann Payment value=100 currency=chf order=o1
  03-02 09:02 ann Refund value=40 currency=CHF order=o1
  `,
  (daybook) => daybook.revenueByAttribution(BY_IDENTITY),
  {
    currency: "USD",
    rows: [{ dimension: "(direct)", revenue: 10, orders: 1 }],
    unconverted: [{ currency: "CHF", revenue: 60, orders: 1 }],
  },
);

example(
  "A currency that is not a three-letter code is listed unchanged.",
  `
  03-02 09:00 ann Payment value=10
  03-02 09:01 ann Payment value=5 currency=points
  `,
  async (daybook) => (await daybook.revenueByAttribution(BY_IDENTITY)).unconverted,
  [{ currency: "points", revenue: 5, orders: 1 }],
);

example(
  "Amounts are converted into the reporting currency at the rate of their day.",
  `
  03-02 09:00 ann Payment value=10 currency=USD
  03-03 09:00 ann Payment value=10 currency=USD
  03-03 09:01 ann Payment value=1
  `,
  (daybook) => daybook.revenueByAttribution(BY_IDENTITY),
  { currency: "EUR", rows: [{ dimension: "(direct)", revenue: 51, orders: 3 }], unconverted: [] },
  { currency: "EUR", rates: (from, to, day) => (from === "USD" && to === "EUR" ? (day === "2026-03-02" ? 2 : 3) : undefined) },
);

example(
  "The currency is that of the event, the metadata or the reporting currency, in that order.",
  "",
  async (daybook) => {
    const paid = { name: "Payment", userId: "ann", createdAt: "2026-03-02T09:00:00Z" };
    await daybook.ingest([
      { ...paid, value: 1, currency: "USD", metadata: { currency: "CHF" } },
      { ...paid, value: 10, metadata: { currency: "CHF" } },
      { ...paid, value: 100 },
    ]);
    return daybook.revenueByAttribution(BY_IDENTITY);
  },
  {
    currency: "USD",
    rows: [{ dimension: "(direct)", revenue: 101, orders: 2 }],
    unconverted: [{ currency: "CHF", revenue: 10, orders: 1 }],
  },
);

example(
  "Each row is rounded once, half to even: 0.025 and 0.1 give 0.12.",
  `
  03-02 09:00 ann Payment value=0.025
  03-02 09:01 ann Payment value=0.1
  `,
  async (daybook) => revenues(await daybook.revenueByAttribution(BY_IDENTITY)),
  ["(direct) 0.12"],
);

example(
  "The project is required and must exist.",
  `
  03-02 09:00 ann Payment value=50 project=shop
  `,
  async (daybook) => [
    await daybook.revenueByAttribution({} as never).catch(codeAndParam),
    await daybook.revenueByAttribution({ project: "blog" }).catch(({ code }: DaybookError) => code),
  ],
  [["invalid_parameter", "project"], "project_not_found"],
);

example(
  "An unknown model, level, dimension or member, a limit outside 1 to 100 and an invalid date are codeAndParam.",
  "",
  (daybook) =>
    Promise.all(
      [
        { model: "linear" },
        { level: "session" },
        { dimension: "term" },
        { limit: 0 },
        { limit: 101 },
        { startDate: "2026-02-29" },
        { filterGroups: [] },
      ].map((input) => daybook.revenueByAttribution({ ...BY_IDENTITY, ...input } as never).catch(codeAndParam)),
    ),
  [
    ["invalid_parameter", "model"],
    ["invalid_parameter", "level"],
    ["invalid_parameter", "dimension"],
    ["invalid_parameter", "limit"],
    ["invalid_parameter", "limit"],
    ["invalid_date", "startDate"],
    ["unknown_parameter", "filterGroups"],
  ],
);
