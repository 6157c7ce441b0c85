// Queries over HTTP. A handler is a function from request to response; here `listen` serves it, but any server can.
import { memoryStorage, openDaybook } from "daybook";
import { createHandler, createToken, memoryTokens } from "daybook/http";
import { listen } from "daybook/node";

const daybook = await openDaybook({ storage: memoryStorage() });
const token = createToken({ role: "owner", scopes: ["events:write", "analytics:read"], nowMs: Date.now() });
const handler = createHandler({ organizations: { default: daybook }, tokens: memoryTokens([token.record]) });
const server = await listen(handler, { port: 0 });

const post = async (path: string, body: unknown): Promise<unknown> => {
  const headers = { authorization: `Bearer ${token.value}`, "content-type": "application/json" };
  const response = await fetch(server.url + path, { method: "POST", headers, body: JSON.stringify(body) });
  return response.json();
};
const events = [
  { name: "pageview", userId: "ada", createdAt: "2026-03-01T09:00:00Z", url: "/" },
  { name: "pageview", userId: "ben", createdAt: "2026-03-01T09:05:00Z", url: "/" },
];
console.log("stored:", await post("/v1/events", { events }));
console.log("counted:", await post("/analytics/count-events", { event_name: "pageview" }));
console.log("per day:", await post("/analytics/count-unique-users-per-day", { start_date: "2026-03-01", end_date: "2026-03-31" }));

await server.close();
await daybook.close();
