import { createServer, request as send } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import type { Clock, Daybook, ExportedEvent, StoredRecord } from "../../../src/index.js";
import { memoryStorage, openDaybook } from "../../../src/index.js";
import { createHandler, loadUserAgentParser, memoryTokens } from "../../../src/http/index.js";
import type { Answered, ServedDaybook } from "../../../src/http/index.js";
import { listen } from "../../../src/platform/node/index.js";

export const TOKEN = "sk_clients_0123456789abc";
/** Of the organization: what merges people takes one. */
export const WHOLE = "sk_clients_whole_0123456789";
export const PAGE_KEY = "pk_pages_0123456789";
const ENTRIES = [
  { token: TOKEN, role: "owner", scopes: ["*"], project: "shop" },
  { token: WHOLE, role: "owner", scopes: ["*"] },
  { token: "sk_events_0123456789abcdefgh", role: "viewer", scopes: ["events:write"], project: "shop" },
  { token: "sk_reads_0123456789abcdefgh", role: "viewer", scopes: ["events:read"], project: "shop" },
  { token: PAGE_KEY, project: "shop", public: { origins: ["https://shop.example"] } },
  { token: "pk_with_ids_0123456789", project: "shop", public: { origins: ["https://shop.example"], ids: ["anonymous", "user"] } },
  { token: "sk_metrics_0123456789abcdefgh", role: "viewer", scopes: ["metrics:read"] },
] as const;

/** What happens to a request: it is refused before it arrives, or what it is answered does not arrive. */
export type Fault = "500" | "503" | "429" | "500 after" | "lost" | "cut";

export interface Serving<Served = Daybook> {
  readonly daybook: Served;
  readonly url: string;
  readonly host: string;
  /** What happens to the next requests, one each. */
  readonly faults: Fault[];
  /** Path of each request that came, without its query. */
  readonly paths: string[];
  readonly answered: Answered[];
  events(): Promise<ExportedEvent[]>;
  records(): Promise<StoredRecord[]>;
}

/** A server as `daybook serve` has one, and before it a proxy that loses and refuses. Both end with the test. */
export async function serving(options: { readonly clock?: Clock } = {}): Promise<Serving> {
  return await servingOf(await openDaybook({ storage: memoryStorage(), ...options }), options);
}

type Exporting = Pick<Daybook, "exportEvents" | "exportRecords" | "close">;

/** The same of a Daybook that is there, which is closed with it. */
export async function servingOf<Served extends ServedDaybook & Exporting>(daybook: Served, told: { readonly clock?: Clock } = {}): Promise<Serving<Served>> {
  const answered: Answered[] = [];
  const parseUserAgent = await loadUserAgentParser();
  const handler = createHandler({ organizations: { default: daybook }, tokens: memoryTokens(ENTRIES), parseUserAgent, ...told, onAnswer: (each) => answered.push(each) });
  const server = await listen(handler);
  const faults: Fault[] = [];
  const paths: string[] = [];
  const proxy = createServer((incoming, outgoing) => {
    paths.push((incoming.url ?? "").replace(/\?.*/, ""));
    void pass(incoming, outgoing, server.port, faults.shift());
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    proxy.closeAllConnections();
    proxy.close();
    await server.close();
    handler.stop();
    await daybook.close();
  });
  const host = `127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const all = async <Item>(items: AsyncIterable<Item>) => {
    const found: Item[] = [];
    for await (const item of items) found.push(item);
    return found;
  };
  return {
    daybook, url: `http://${host}`, host, faults, paths, answered,
    events: () => all(daybook.exportEvents()),
    records: async () => (await all(daybook.exportRecords())).filter(({ type }) => type !== "project"),
  };
}

async function pass(incoming: IncomingMessage, outgoing: ServerResponse, port: number, fault: Fault | undefined): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const say = (status: number) => outgoing.writeHead(status, { "content-type": "application/json", "retry-after": "0" }).end(JSON.stringify({ code: status }));
  if (fault === "500" || fault === "503" || fault === "429") return void say(Number(fault));
  const { method, url: path, headers } = incoming;
  const passed = send({ port, method, path, headers, agent: false }, (answer) => {
    void (async () => {
      const parts: Buffer[] = [];
      for await (const part of answer) parts.push(part as Buffer);
      if (fault === "500 after") return say(500);
      if (fault === "lost") return incoming.socket.destroy();
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
      if (fault === "cut") return outgoing.write(Buffer.concat(parts).subarray(0, 1), () => incoming.socket.destroy());
      return outgoing.end(Buffer.concat(parts));
    })();
  });
  passed.end(Buffer.concat(chunks));
}
