// Analytics inside a program: open, store, query, close.
import { openDaybook } from "daybook";
import { fileStorage } from "daybook/node";

const daybook = await openDaybook({ storage: fileStorage(process.argv[2] ?? "./data/embed") });
await daybook.ingest([
  { id: "1", name: "pageview", userId: "ada", createdAt: "2026-03-01T09:00:00Z", url: "/", browser: "Firefox" },
  { id: "2", name: "pageview", userId: "ben", createdAt: "2026-03-01T09:05:00Z", url: "/pricing", browser: "Safari" },
  { id: "3", name: "signup", userId: "ben", createdAt: "2026-03-02T10:00:00Z", metadata: { plan: "pro" } },
]);
const pro = [{ filters: [{ fieldName: "plan", operator: "=", value: "pro" }] }];
console.log("events per day:", await daybook.countEventsPerDay());
console.log("unique users:", await daybook.countUniqueUsers());
console.log("running total:", await daybook.countEventsRunningTotalPerDay());
console.log("top pages:", await daybook.aggregate({ field: "url", eventName: "pageview" }));
console.log("pro signups:", await daybook.countEvents({ eventName: "signup", filterGroups: pro }));
await daybook.close();
