// Analytics in a Hono app. A handler is a function from Request to Response, so Hono can mount it directly.
import { Hono } from "hono";
import { openDaybook } from "daybook";
import { createHandler, memoryTokens } from "daybook/http";
import { fileStorage, listen } from "daybook/node";

const daybook = await openDaybook({ storage: fileStorage(process.argv[2] ?? "./data/hono") });
const handler = createHandler({
  organizations: { default: daybook },
  tokens: memoryTokens([{ token: process.env["DAYBOOK_TOKEN"] ?? "sk_change_me_before_you_start", role: "owner", scopes: ["*"] }]),
});

const app = new Hono();
app.mount("/stats", handler);
app.post("/orders", async (context) => {
  const { user, amount } = await context.req.json<{ user: string; amount: number }>();
  await daybook.ingest([{ name: "order", userId: user, value: amount }]);
  return context.json({ orders: await daybook.countEvents({ eventName: "order" }) }, 201);
});

// Any server for web requests works. This one finishes requests in progress when it closes.
const server = await listen(async (request) => app.fetch(request), { port: Number(process.env["PORT"] ?? 3000) });
console.log(server.url);
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => void server.close().then(() => daybook.close()));
