import { Agent, createServer, request as send, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/**
 * What becomes of the beacons of somebody, until it is changed. `cut`: the connection breaks before Daybook hears of it; `cut_after`: once Daybook
 * has it, but before the browser knows; `busy`: somebody on the way says 503; `repeat`: Daybook gets it twice; `lose`: as `cut`, and these events
 * never come through.
 */
export type Fate = "pass" | "lose" | "cut" | "cut_after" | "busy" | "repeat";

/** A browser, as the network sees it. */
export interface Guest {
  readonly address: string;
  fate: Fate;
  /** Ids of events whose sending the browser heard a yes of, and of those that failed under the present fate. */
  readonly answered: Set<string>;
  readonly failed: Set<string>;
  readonly lost: Set<string>;
}

export async function bodyOf(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** What is written behind the user agent of a browser, so that the servers of the test know who it is. Daybook never sees it. */
const MARK = / walk\/(\d+)$/;
export const markOf = ({ headers }: IncomingMessage) => Number(MARK.exec(headers["user-agent"] ?? "")?.[1] ?? -1);

/** Stands between browsers and Daybook, as a proxy of a host does: it tells the address of whoever asks, and is no better than networks are. */
export class Proxy {
  readonly guests = new Map<number, Guest>();
  /** What should never come: preflights, cookies, answers of Daybook but 204, pages nobody knows. */
  readonly surprises: string[] = [];
  url = "";
  readonly #server = createServer((request, response) => void this.#answer(request, response).catch((error) => this.surprises.push(String(error))));
  /** A connection that waits for another request may be closed just when that comes. */
  readonly #agent = new Agent({ keepAlive: false });
  readonly #waiting = new Set<() => void>();

  /** @param target where Daybook listens */
  constructor(readonly target: string) {}

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.#server.close();
    this.#server.closeAllConnections();
    this.#agent.destroy();
  }

  /** Resolves once this holds. */
  async until(holds: () => boolean, what: () => string, timeoutMs = 20_000): Promise<void> {
    const endMs = performance.now() + timeoutMs;
    while (!holds()) {
      if (performance.now() > endMs) throw new Error(`waited ${timeoutMs} ms in vain: ${what()}`);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, 200);
        this.#waiting.add(() => (clearTimeout(timer), resolve()));
      });
    }
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const guest = this.guests.get(markOf(request));
    if (guest === undefined) throw new Error(`nobody knows ${request.headers["user-agent"]}`);
    const body = await bodyOf(request);
    if (request.method === "GET") return void (await this.#pass(request, body, guest, response));
    if (request.method !== "POST" || request.headers.cookie !== undefined) this.surprises.push(`${request.method} with ${request.headers.cookie}`);
    const { events } = JSON.parse(body.toString()) as { readonly events: readonly { readonly id: string }[] };
    const { fate } = events.some(({ id }) => guest.lost.has(id)) ? { fate: "lose" as const } : guest;
    if (fate === "repeat" || fate === "cut_after") await this.#pass(request, body, guest);
    const isCut = fate === "cut" || fate === "cut_after" || fate === "lose";
    if (isCut) request.socket.destroy();
    else if (fate === "busy") response.writeHead(503, { "access-control-allow-origin": request.headers.origin ?? "*" }).end();
    else await this.#pass(request, body, guest, response);
    for (const { id } of events) {
      (isCut || fate === "busy" ? guest.failed : guest.answered).add(id);
      // Browsers send a beacon again by themselves when a connection breaks, and nobody can see when they are done.
      if (fate === "lose") guest.lost.add(id);
    }
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }

  /** Hands a request on, as it came but for who sent it. */
  async #pass(request: IncomingMessage, body: Buffer, { address }: Guest, response?: ServerResponse): Promise<void> {
    const headers = {
      ...request.headers,
      "user-agent": request.headers["user-agent"]?.replace(MARK, ""),
      // What a visitor may have written stands first, and is believed by nobody.
      "x-forwarded-for": `192.0.2.77, ${address}`,
    };
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const { method, url } = request;
      send(this.target + (url ?? ""), { method, headers, agent: this.#agent }, resolve).on("error", reject).end(body);
    });
    const text = await bodyOf(answer);
    if (request.method === "POST" && answer.statusCode !== 204) this.surprises.push(`${answer.statusCode} ${text.toString()} for ${body.toString()}`);
    response?.writeHead(answer.statusCode ?? 502, answer.headers).end(text);
  }
}
