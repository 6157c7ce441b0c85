import express from "express";
import Fastify from "fastify";
import { Hono } from "hono";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { createHandler, memoryTokens } from "../../src/http/index.js";
import { memoryStorage, openDaybook } from "../../src/index.js";
import { listen, toNodeHandler } from "../../src/platform/node/index.js";
import { emptyDirectory } from "../cli/run.js";
import { ask, eventsAfter, expectRoutes, served, startExample, TOKEN } from "./served.js";

describe("inside a framework, below a path", () => {
  test.each(["express", "fastify", "hono"])("%s.ts answers its own routes and those of Daybook, and leaves a closed store", async (name) => {
    const directory = await emptyDirectory();
    const { url, program } = await served(await startExample(`${name}.ts`, [directory]));
    expect(await ask(`${url}/orders`, { user: "ada", amount: 12 }, {})).toEqual({ status: 201, json: { orders: 1 } });
    await expectRoutes(`${url}/stats`, 1);
    expect((await ask(`${url}/healthz`)).status).toBe(404);
    expect(await eventsAfter(program, "SIGTERM", directory)).toBe(44);
  });
});

async function newHandler() {
  const daybook = await openDaybook({ storage: memoryStorage() });
  onTestFinished(() => daybook.close());
  return createHandler({ organizations: { default: daybook }, tokens: memoryTokens([{ token: TOKEN, role: "owner", scopes: ["*"] }]) });
}

describe("inside a framework, at the root", () => {
  test("Express goes on with what is no route of Daybook", async () => {
    const app = express().use(toNodeHandler(await newHandler(), { fallthrough: true }), (_request, response) => void response.status(404).json({ code: "route_not_found" }));
    const server = createServer(app).listen(0, "127.0.0.1");
    onTestFinished(() => void server.close());
    await once(server, "listening");
    await expectRoutes(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  });

  test("Fastify answers with a wildcard that leaves bodies alone", async () => {
    const answer = toNodeHandler(await newHandler());
    const app = Fastify();
    onTestFinished(() => app.close());
    app.removeAllContentTypeParsers();
    app.addContentTypeParser("*", (_request, _payload, parsed) => parsed(null));
    app.all("/*", (request, reply) => {
      reply.hijack();
      answer(request.raw, reply.raw);
    });
    await expectRoutes(await app.listen({ port: 0 }));
  });

  test("Fastify whose parser took the body is told so, and does not wait for ever", async () => {
    const answer = toNodeHandler(await newHandler());
    const app = Fastify();
    onTestFinished(() => app.close());
    app.all("/*", (request, reply) => {
      reply.hijack();
      answer(request.raw, reply.raw);
    });
    const url = await app.listen({ port: 0 });
    expect(await ask(`${url}/v1/events`, { events: [] })).toMatchObject({ status: 500, json: { code: "body_already_read" } });
    expect(await ask(`${url}/healthz`)).toMatchObject({ status: 200 });
  });

  test("Hono mounts a handler as it is", async () => {
    const app = new Hono();
    app.mount("/", await newHandler());
    const server = await listen(async (request) => app.fetch(request));
    onTestFinished(() => server.close());
    await expectRoutes(server.url);
  });
});
