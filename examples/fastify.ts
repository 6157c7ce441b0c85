// Analytics in a Fastify app. The routes of Daybook are a separate plugin, in which Fastify does not parse bodies.
import Fastify from "fastify";
import { openDaybook } from "daybook";
import { createHandler, memoryTokens } from "daybook/http";
import { fileStorage, toNodeHandler } from "daybook/node";

const daybook = await openDaybook({ storage: fileStorage(process.argv[2] ?? "./data/fastify") });
const handler = createHandler({
  organizations: { default: daybook },
  tokens: memoryTokens([{ token: process.env["DAYBOOK_TOKEN"] ?? "sk_change_me_before_you_start", role: "owner", scopes: ["*"] }]),
});

const app = Fastify();
await app.register(
  (scope, _options, done) => {
    const handle = toNodeHandler(handler, { basePath: "/stats" });
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", (_request, _payload, parsed) => parsed(null));
    scope.all("/*", (request, reply) => {
      reply.hijack();
      handle(request.raw, reply.raw);
    });
    done();
  },
  { prefix: "/stats" },
);
app.post<{ Body: { user: string; amount: number } }>("/orders", async (request, reply) => {
  await daybook.ingest([{ name: "order", userId: request.body.user, value: request.body.amount }]);
  return reply.code(201).send({ orders: await daybook.countEvents({ eventName: "order" }) });
});
app.addHook("onClose", () => daybook.close());

console.log(await app.listen({ port: Number(process.env["PORT"] ?? 3000) }));
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => void app.close());
