import { memoryStorage, openDaybook, type EventInput } from "daybook";

const number = (value: number) => value.toLocaleString("en-US");

/** Summarizes a shop's order lines and invoices in a few lines of text. */
export async function summaryOf(events: AsyncIterable<readonly EventInput[]>): Promise<string> {
  await using daybook = await openDaybook({ storage: memoryStorage(), currency: "GBP" });
  for await (const block of events) {
    const { rejected } = await daybook.ingest(block);
    if (rejected[0] !== undefined) throw new Error(rejected[0].message);
  }
  const counted = async (eventName: string) => number(await daybook.countEvents({ eventName }));
  const days = await daybook.countEventsPerDay();
  const { rows } = await daybook.revenueByAttribution({ project: "default", startDate: "1970-01-01" });
  const revenue = rows.reduce((sum, row) => sum + row.revenue, 0);
  const countries = await daybook.aggregate({ field: "location_country", eventName: "order_line", limit: 5 });
  return [
    `${await counted("order_line")} order lines on ${number(days.length)} days`,
    `${number(await daybook.countUniqueUsers())} customers`,
    `${await counted("purchase")} purchases, ${await counted("refund")} refunds`,
    `${revenue.toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 })} pounds net of refunds`,
    `order lines by country: ${countries.map(({ property, count }) => `${property === "" ? "unknown" : property} ${number(count)}`).join(", ")}`,
  ].join("\n");
}
