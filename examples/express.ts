// Analytics in an Express app. Its own routes store events, and the routes of Daybook are below /stats.
import express from "express";
import { openDaybook } from "daybook";
import { createHandler, memoryTokens } from "daybook/http";
import { fileStorage, toNodeHandler } from "daybook/node";

const daybook = await openDaybook({ storage: fileStorage(process.argv[2] ?? "./data/express") });
const handler = createHandler({
  organizations: { default: daybook },
  tokens: memoryTokens([{ token: process.env["DAYBOOK_TOKEN"] ?? "sk_change_me_before_you_start", role: "owner", scopes: ["*"] }]),
});

const app = express();
// Before body parsers, so that Daybook streams bodies itself.
app.use("/stats", toNodeHandler(handler));
app.use(express.json());
app.post("/orders", async (request, response) => {
  const { user, amount } = request.body as { user: string; amount: number };
  await daybook.ingest([{ name: "order", userId: user, value: amount }]);
  response.status(201).json({ orders: await daybook.countEvents({ eventName: "order" }) });
});

const server = app.listen(Number(process.env["PORT"] ?? 3000), "127.0.0.1", () => {
  const address = server.address();
  console.log(`http://127.0.0.1:${typeof address === "object" ? address?.port : address}`);
});
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => server.close(() => void daybook.close()));
