// Typed events: unknown names, metadata and filters do not compile, and invalid events are rejected.
import { defineEvents, memoryStorage, openDaybook } from "daybook";
import { z } from "zod";

const shop = defineEvents({
  signup: z.object({ plan: z.enum(["free", "pro"]) }),
  order: z.object({ total: z.number(), coupon: z.string().optional() }),
});
const daybook = shop.bind(await openDaybook({ storage: memoryStorage() }));

const { accepted, rejected } = await daybook.ingest([
  { name: "signup", userId: "ada", metadata: { plan: "pro" } },
  { name: "order", userId: "ada", metadata: { total: 19.9 } },
  // Events from outside have no types: the schema checks them at run time.
  JSON.parse('{ "name": "signup", "userId": "bob", "metadata": { "plan": "gold" } }'),
]);
console.log("stored:", accepted);
console.log("rejected:", rejected[0]?.message);

const pro = { filters: [{ fieldName: "metadata.plan", operator: "=", value: "pro" }] } as const;
console.log("pro signups:", await daybook.countEvents({ eventName: "signup", filterGroups: [pro] }));
const { series } = await daybook.trend({ measure: { type: "sum", field: "metadata.total" }, interval: "total" });
console.log("ordered:", series[0]?.data[0]);
await daybook.close();
