import { once } from "node:events";
import type { AddressInfo } from "node:net";
import express, { type Request } from "express";
import { memoryStorage, openDaybook, type Scope } from "daybook";
import { createHandler, memoryTokens, type BrowserFiles } from "daybook/http";
import { listen } from "daybook/node";
import { htmlPage, reactPage, reactProgram } from "./pages.js";
import { isTenant, seedEvents, type Tenant } from "./seed.js";

const TOKEN_LIFE_MS = 15 * 60_000;

export interface ProductOptions {
  readonly port: number;
  /** Port of Daybook, which so has an origin of its own. */
  readonly statsPort: number;
  readonly files: BrowserFiles;
}

/** What a customer may see: its own events, by the fields of its page. */
function scopeOf(tenant: Tenant): Scope {
  const own = { fieldName: "company_id", operator: "equals", value: tenant } as const;
  return { filterGroups: [{ filters: [own] }], fields: ["name", "path", "metadata.report"] };
}

/** Stands for the session of a product: anybody can write this cookie. */
function signedInTenant({ headers: { cookie = "" } }: Request): Tenant | null {
  const [, tenant = ""] = /(?:^|; )tenant=(\w+)/.exec(cookie) ?? [];
  return isTenant(tenant) ? tenant : null;
}

/** Starts the product, with Daybook inside: all customers in one organization, each with a scope of its own. */
export async function startProduct({ port, statsPort, files }: ProductOptions) {
  // In memory, so that each start has the same events. A product has `fileStorage`.
  const daybook = await openDaybook({ storage: memoryStorage() });
  await daybook.ingest(seedEvents(Date.now()), { onRejected: "throw" });
  // Only signed tokens open it: there are no secret ones.
  const handler = createHandler({ organizations: { default: daybook }, tokens: memoryTokens([]), files });
  const stats = await listen(handler, { port: statsPort });

  const app = express();
  const server = app.listen(port, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  app.get("/login/:tenant", ({ params: { tenant } }, response) => {
    if (!isTenant(tenant)) return void response.sendStatus(404);
    response.cookie("tenant", tenant, { httpOnly: true, sameSite: "strict" }).redirect("/");
  });

  app.get("/analytics-token", async (request, response) => {
    // From the session, never from an address or a body: a customer cannot name another one.
    const tenant = signedInTenant(request);
    if (tenant === null) return void response.sendStatus(401);
    const expiresAt = new Date(Date.now() + TOKEN_LIFE_MS);
    const token = await daybook.signScope(scopeOf(tenant), { expiresAt, origins: [url] });
    response.set("cache-control", "no-store").json({ token, expires_at: expiresAt });
  });

  const program = await reactProgram();
  app.get("/", (_request, response) => void response.send(htmlPage(stats.url)));
  app.get("/react", (_request, response) => void response.send(reactPage(stats.url)));
  app.get("/react-page.js", (_request, response) => void response.type("js").send(program));

  const close = async () => {
    await Promise.all([new Promise((resolve) => server.close(resolve)), stats.close()]);
    await daybook.close();
  };
  return { url, statsUrl: stats.url, close };
}
