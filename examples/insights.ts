// Insights into 18 months of a CD shop: npx tsx examples/insights.ts
// The sample is every tenth customer; all of them first bought in January, February or March 1997.
import { readFile } from "node:fs/promises";
import { memoryStorage, openDaybook } from "daybook";
import { cdnowPurchase } from "./cdnow/purchases.js";

const daybook = await openDaybook({ storage: memoryStorage() });
const sample = await readFile(new URL("./data/CDNOW_sample.txt", import.meta.url), "utf8");
await daybook.ingest(sample.split("\n").map(cdnowPurchase).filter((event) => event !== null));
const percent = (rate: number | null) => ((rate ?? 0) * 100).toFixed(1);

const week = await daybook.trend({ interval: "week", measure: { type: "unique_users" }, startDate: "1997-01-06", endDate: "1997-03-02" });
console.log("customers by week:");
for (const [at, { local }] of week.buckets.entries()) console.log(`  ${local}  ${week.series[0]?.data[at]}`);

const bought = { eventName: "purchase" };
const { steps } = await daybook.funnel({ steps: [bought, bought, bought], conversionWindowSec: 180 * 86_400 });
console.log("bought once, twice, three times within 180 days:");
for (const { entities, conversionRate, fromEntry } of steps) {
  const days = fromEntry === null ? "" : `, half of them within ${fromEntry.medianSec / 86_400} days`;
  console.log(`  ${entities}: ${percent(conversionRate)} %${days}`);
}

const { cohorts, total } = await daybook.retention({ interval: "month", periods: 6, endDate: "1997-03-31" });
console.log("came back in the months after their first purchase:");
for (const { bucket, size, periods } of cohorts) console.log(`  ${bucket.local}  ${size}: ${periods.slice(1).map(({ entities }) => entities).join(" ")}`);
console.log(`  of all, in percent: ${total.slice(1).map(({ rate }) => percent(rate)).join(" ")}`);

// A segment selects people by what they did. Each query evaluates it anew; a saved segment has a name that any query can use.
await daybook.segments.put("regulars", { groups: [{ conditions: [{ type: "did", ...bought, atLeast: 5, endDate: "1997-12-31" }] }] });
const in1998 = { startDate: "1998-01-01", endDate: "1998-06-30" };
for (const operator of ["in_segment", "not_in_segment"]) {
  const filterGroups = [{ filters: [{ fieldName: "identity_id", operator, value: "regulars" }] }];
  const customers = await daybook.countUniqueUsers({ filterGroups });
  const { series } = await daybook.trend({ ...in1998, measure: { type: "revenue" }, interval: "quarter", filterGroups });
  console.log(`${operator} regulars: ${customers} customers, ${series[0]?.total} dollars in 1998, by quarter ${series[0]?.data.join(" and ")}`);
}
await daybook.close();
