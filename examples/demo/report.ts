import { withReadings } from "../access-log/readers.js";
import type { Daybook } from "../../src/engine/daybook.js";
import { openDaybook } from "../../src/engine/open-daybook.js";
import { memoryStorage } from "../../src/store/storage/memory-storage.js";
import { count, plain } from "../../src/cli/print/format.js";
import type { DataSet } from "./data-sets.js";
import { steps, triangle, weeks } from "./insights.js";
import { Section } from "./section.js";

/** The report on one data set, as text for a terminal. */
export async function reportOn(set: DataSet, daybook: Daybook): Promise<string> {
  const section = new Section(daybook);
  section.heading(set.organization, set.title);
  if (set.organization === "access-log") await accessLog(section, set);
  else if (set.organization === "online-retail") await onlineRetail(section);
  else await cdnow(section);
  return section.text();
}

async function accessLog(section: Section, set: DataSet): Promise<void> {
  const views = await section.run((daybook) => daybook.countEvents({ eventName: "pageview" }));
  const users = await section.run((daybook) => daybook.countUniqueUsers({ eventName: "pageview" }));
  section.numbers([
    [count(views), "page views"],
    [count(users), "unique addresses"],
  ]);
  const perDay = await section.run((daybook) => daybook.countEventsPerDay({ fill: true }));
  const usersPerDay = await section.run((daybook) => daybook.countUniqueUsersPerDay({ fill: true }));
  const usersOf = new Map(usersPerDay.map((item) => [item.day, item.count]));
  section.days(
    perDay.map((item) => [item.day.slice(0, 10), item.count, usersOf.get(item.day) ?? 0]),
    ["day", "page views", "addresses"],
  );
  section.ranking("top pages", await section.run((daybook) => daybook.aggregate({ field: "url", limit: 8 })));
  section.ranking("browsers", await section.run((daybook) => daybook.aggregate({ field: "browser", limit: 6 })));
  section.ranking("status", await section.run((daybook) => daybook.aggregate({ metadataField: "status", limit: 6 })));
  const missing = await section.run((daybook) =>
    daybook.aggregate({
      field: "url",
      limit: 5,
      filterGroups: [
        {
          filters: [
            { fieldName: "status", operator: "=", value: "404" },
            { fieldName: "browser", operator: "not_in", value: "Googlebot,bingbot" },
          ],
        },
      ],
    }),
  );
  section.ranking("not found: status = 404 and browser not in Googlebot, bingbot", missing);
  await visitors(section);
  const page = (name: string, pattern: string) => ({ name, filterGroups: [{ filters: [{ fieldName: "path", operator: "regex", value: pattern }] }] });
  const pages = [page("an article", "^/blog/geekery/"), page("a list of articles", "^/blog/(tags/|$)"), page("a project", "^/projects/")];
  await steps(section, "within one visit: an article, then a list of articles, then a project", "visits", { steps: pages, level: "session" });
  await attribution(section, set);
}

/** The dates of the access log. */
const LOG_DATES = { startDate: "2015-05-17", endDate: "2015-05-20" };

/** Profiles of the busiest visitors, and the latest sessions of the second one, which is not a crawler. */
async function visitors(section: Section): Promise<void> {
  const busiest = await section.run((daybook) => daybook.aggregate({ field: "user_id", limit: 6 }));
  const rows: string[][] = [];
  for (const { property: userId } of busiest) {
    const profile = await section.run((daybook) => daybook.identityProfile({ userId, ...LOG_DATES }));
    const { events, sessions, durationAvgSec, durationP90Sec, bounceRate, activeDays } = profile;
    rows.push([userId, count(events), count(sessions), seconds(durationAvgSec), seconds(durationP90Sec), percent(bounceRate), count(activeDays)]);
  }
  section.table("busiest visitors", ["address", "requests", "sessions", "mean duration", "90 % within", "bounces", "days"], rows);
  const [, second] = busiest;
  if (second === undefined) return;
  const { sessions } = await section.run((daybook) => daybook.identitySessions({ userId: second.property, ...LOG_DATES, limit: 5 }));
  section.table(
    `latest sessions of ${second.property}`,
    ["from", "requests", "duration", "first page"],
    sessions.map((item) => [item.startedAt.slice(0, 19).replace("T", " "), count(item.events), seconds(item.durationSec), plain(item.entryUrl ?? "", 40)]),
  );
}

/** Attribution of articles read, on a copy of the log in memory in which each reading has a value of 1. */
async function attribution(section: Section, set: DataSet): Promise<void> {
  const copy = await openDaybook({ storage: memoryStorage() });
  for await (const rows of set.rows()) await copy.ingest(rows.flatMap((row) => ("event" in row ? [withReadings(row.event)] : [])));
  const input = { project: "default", startDate: LOG_DATES.startDate, limit: 8 };
  const first = await section.run(() => copy.revenueByAttribution(input));
  const last = await section.run(() => copy.revenueByAttribution({ ...input, model: "last_touch", limit: 100 }));
  const lastOf = new Map(last.rows.map(({ dimension, orders }) => [dimension, orders]));
  section.table(
    "articles read, by source of the first and of the last touch",
    ["source", "first", "last"],
    first.rows.map(({ dimension, orders }) => [dimension, count(orders), count(lastOf.get(dimension) ?? 0)]),
  );
  await copy.close();
}

function seconds(value: number | null): string {
  return value === null ? "" : value < 120 ? `${value.toFixed(0)} s` : `${(value / 60).toFixed(0)} min`;
}

function percent(share: number | null): string {
  return share === null ? "" : `${(share * 100).toFixed(0)} %`;
}

/** Lifetime value of each month's new customers, newest month first. */
async function lifetimeValue(section: Section): Promise<void> {
  const { cohorts, currency } = await section.run((daybook) => daybook.ltvCohorts({ project: "default", level: "identity" }));
  section.table(
    `customers by the month of their first purchase, and what they have paid since, in ${currency}`,
    ["month", "customers", "orders", "revenue", "average"],
    cohorts.map(({ cohort, entities, orders, revenue, ltv }) => [cohort, count(entities), count(orders), money(revenue), money(ltv)]),
  );
}

function money(value: number): string {
  return value.toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 });
}

async function cdnow(section: Section): Promise<void> {
  const purchases = await section.run((daybook) => daybook.countEvents({ eventName: "purchase" }));
  const customers = await section.run((daybook) => daybook.countUniqueUsers({ eventName: "purchase" }));
  const large = await section.run((daybook) =>
    daybook.countEvents({ filterGroups: [{ filters: [{ fieldName: "revenue", operator: ">=", value: "100" }] }] }),
  );
  section.numbers([
    [count(purchases), "purchases"],
    [count(customers), "customers"],
    [count(large), "purchases of 100 dollars and more"],
  ]);
  section.chart("purchases", await section.run((daybook) => daybook.countEventsPerDay({ fill: true })), "sum");
  await weeks(section, "customers", "customers", { measure: { type: "unique_users" } });
  section.ranking("CDs per purchase", await section.run((daybook) => daybook.aggregate({ metadataField: "cds", limit: 6 })));
  await repeatPurchases(section);
  await triangle(section, "customers by the month of their first purchase, and how many bought again in later months", { endDate: "1998-06-30" });
  await lifetimeValue(section);
}

/** A funnel of three purchases. */
async function repeatPurchases(section: Section): Promise<void> {
  const named = (name: string) => ({ eventName: "purchase", name });
  const input = { steps: [named("first purchase"), named("second purchase"), named("third purchase")], conversionWindowSec: 180 * 86_400 };
  await steps(section, "three purchases within 180 days", "customers", input);
}

async function onlineRetail(section: Section): Promise<void> {
  const named = (eventName: string) => section.run((daybook) => daybook.countEvents({ eventName }));
  const customers = await section.run((daybook) => daybook.countUniqueUsers({ eventName: "order_line" }));
  const withCustomer = await section.run((daybook) =>
    daybook.countEvents({ eventName: "order_line", filterGroups: [{ filters: [{ fieldName: "user_id", operator: "is_set" }] }] }),
  );
  const large = await section.run((daybook) =>
    daybook.countEvents({
      eventName: "purchase",
      filterGroups: [{ filters: [{ fieldName: "revenue", operator: ">", value: "1000" }] }],
    }),
  );
  section.numbers([
    [count(await named("order_line")), "order lines"],
    [count(withCustomer), "of them with a customer"],
    [count(await named("purchase")), "purchases"],
    [count(await named("refund")), "refunds"],
    [count(customers), "customers"],
    [count(large), "purchases of more than 1,000 pounds"],
  ]);
  section.chart("order lines", await section.run((daybook) => daybook.countEventsPerDay({ eventName: "order_line", fill: true })), "sum");
  const perDay = await section.run((daybook) => daybook.countUniqueUsersPerDay({ eventName: "order_line", fill: true }));
  section.chart("customers per day", perDay, "mean");
  await weeks(section, "revenue net of refunds", "pounds", { measure: { type: "revenue" } });
  section.ranking("top countries", await section.run((daybook) => daybook.aggregate({ field: "location_country", eventName: "order_line", limit: 8 })));
  const candles = await section.run((daybook) =>
    daybook.aggregate({
      metadataField: "description",
      eventName: "order_line",
      limit: 5,
      filterGroups: [
        {
          filters: [
            { fieldName: "description", operator: "contains", value: "candle" },
            { fieldName: "location_country", operator: "in", value: "FR,DE,NL" },
          ],
        },
      ],
    }),
  );
  section.ranking("candles for France, Germany and the Netherlands", candles);
  await repeatPurchases(section);
  const lines = { eventName: "order_line", endDate: "2011-12-09" };
  await triangle(section, "customers by the month of their first order line, and how many ordered in later months", lines);
  await lifetimeValue(section);
}
