import type { Daybook } from "../../engine/daybook.js";
import { count } from "../print/format.js";
import type { DataSet } from "./data-sets.js";
import { Section } from "./section.js";

/** The report on one data set, as text for a terminal. */
export async function reportOn(set: DataSet, daybook: Daybook): Promise<string> {
  const section = new Section(daybook);
  section.heading(set.organization, set.title);
  if (set.organization === "access-log") await accessLog(section);
  else if (set.organization === "online-retail") await onlineRetail(section);
  else await cdnow(section);
  return section.text();
}

async function accessLog(section: Section): Promise<void> {
  const views = await section.ask((daybook) => daybook.countEvents({ eventName: "page_view" }));
  const users = await section.ask((daybook) => daybook.countUniqueUsers({ eventName: "page_view" }));
  section.numbers([
    [count(views), "page views"],
    [count(users), "unique addresses"],
  ]);
  const perDay = await section.ask((daybook) => daybook.countEventsPerDay({ fill: true }));
  const usersPerDay = await section.ask((daybook) => daybook.countUniqueUsersPerDay({ fill: true }));
  const usersOf = new Map(usersPerDay.map((item) => [item.day, item.count]));
  section.days(
    perDay.map((item) => [item.day.slice(0, 10), item.count, usersOf.get(item.day) ?? 0]),
    ["day", "page views", "addresses"],
  );
  section.ranking("top pages", await section.ask((daybook) => daybook.aggregate({ field: "url", limit: 8 })));
  section.ranking("browsers", await section.ask((daybook) => daybook.aggregate({ field: "browser", limit: 6 })));
  section.ranking("status", await section.ask((daybook) => daybook.aggregate({ metadataField: "status", limit: 6 })));
  const missing = await section.ask((daybook) =>
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
  section.ranking("asked for in vain: status = 404 and browser not in Googlebot, bingbot", missing);
}

async function cdnow(section: Section): Promise<void> {
  const purchases = await section.ask((daybook) => daybook.countEvents({ eventName: "purchase" }));
  const customers = await section.ask((daybook) => daybook.countUniqueUsers({ eventName: "purchase" }));
  const large = await section.ask((daybook) =>
    daybook.countEvents({ filterGroups: [{ filters: [{ fieldName: "revenue", operator: ">=", value: "100" }] }] }),
  );
  section.numbers([
    [count(purchases), "purchases"],
    [count(customers), "customers"],
    [count(large), "purchases of 100 dollars and more"],
  ]);
  section.chart("purchases", await section.ask((daybook) => daybook.countEventsPerDay({ fill: true })), "sum");
  section.ranking("CDs per purchase", await section.ask((daybook) => daybook.aggregate({ metadataField: "cds", limit: 6 })));
}

async function onlineRetail(section: Section): Promise<void> {
  const named = (eventName: string) => section.ask((daybook) => daybook.countEvents({ eventName }));
  const customers = await section.ask((daybook) => daybook.countUniqueUsers({ eventName: "order_line" }));
  const withCustomer = await section.ask((daybook) =>
    daybook.countEvents({ eventName: "order_line", filterGroups: [{ filters: [{ fieldName: "user_id", operator: "is_set" }] }] }),
  );
  const large = await section.ask((daybook) =>
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
  section.chart("order lines", await section.ask((daybook) => daybook.countEventsPerDay({ eventName: "order_line", fill: true })), "sum");
  const perDay = await section.ask((daybook) => daybook.countUniqueUsersPerDay({ eventName: "order_line", fill: true }));
  section.chart("customers a day", perDay, "mean");
  section.ranking("top countries", await section.ask((daybook) => daybook.aggregate({ field: "location_country", eventName: "order_line", limit: 8 })));
  const candles = await section.ask((daybook) =>
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
}
