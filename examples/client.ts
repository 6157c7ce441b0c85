// Queries from another process: one program opens the store and serves it, another queries it with the same methods.
import { memoryStorage, openDaybook } from "daybook";
import { connectDaybook } from "daybook/client";
import { createHandler, createToken, memoryTokens } from "daybook/http";
import { listen } from "daybook/node";
import type { DaybookClient } from "daybook/client";

// The other process, which is usually `daybook serve`; in this example it is the same process.
const store = await openDaybook({ storage: memoryStorage() });
const token = createToken({ role: "owner", scopes: ["*"], nowMs: Date.now() });
const server = await listen(createHandler({ organizations: { default: store }, tokens: memoryTokens([token.record]) }), { port: 0 });

async function report(daybook: Pick<DaybookClient, "countEvents" | "aggregate" | "searchEvents">): Promise<void> {
  console.log("page views:", await daybook.countEvents({ eventName: "page_view" }));
  console.log("by browser:", await daybook.aggregate({ field: "browser" }));
  console.log("newest:", (await daybook.searchEvents({ limit: 1 })).events[0]?.name);
}

const daybook = connectDaybook({ url: server.url, token: token.value });
const events = [
  { name: "page_view", anonymousId: "phone-7", createdAt: "2026-03-01T09:00:00Z", browser: "Safari" },
  { name: "signup", userId: "ada", createdAt: "2026-03-01T09:05:00Z", browser: "Firefox" },
];
console.log("stored:", await daybook.ingest(events));
await daybook.identify({ anonymousId: "phone-7", userId: "ada" });
console.log("unique users:", await daybook.countUniqueUsers());
await report(daybook); // `report(store)` prints the same
for await (const event of daybook.exportEvents()) console.log("exported:", event.name);

await daybook.close();
await server.close();
await store.close();
