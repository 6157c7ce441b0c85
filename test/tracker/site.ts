import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** An event as it came. */
export interface Sent {
  readonly id: string;
  readonly url: string;
  readonly age_ms: number;
  readonly name?: string;
  readonly referrer?: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly [member: string]: unknown;
}

export interface Beacon {
  readonly key: string;
  readonly events: readonly Sent[];
  readonly path: string;
  readonly type: string | undefined;
  readonly cookie: string | undefined;
  /** What it was answered; 0: the connection was cut. */
  readonly status: number;
}

async function listening(server: Server, host: string): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  return `http://${host}:${(server.address() as AddressInfo).port}`;
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

/** A server that takes beacons, on an origin of its own, and serves the script. */
export class Collector {
  readonly beacons: Beacon[] = [];
  /** Statuses of the next answers; then 204. 0 cuts the connection. */
  answers: number[] = [];
  readonly #server = createServer((request, response) => void this.#answer(request, response));
  url = "";

  constructor(readonly script: string) {}

  async start(): Promise<void> {
    this.url = await listening(this.#server, "localhost");
  }

  stop(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  reset(): void {
    this.beacons.length = 0;
    this.answers = [];
  }

  /** Events that were taken. */
  get taken(): Sent[] {
    return this.beacons.flatMap(({ status, events }) => (status === 204 ? events : []));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.setHeader("access-control-allow-origin", request.headers.origin ?? "*");
    if (request.method === "GET") return void response.setHeader("content-type", "text/javascript").end(this.script);
    const { key, events } = JSON.parse(await bodyOf(request)) as { key: string; events: Sent[] };
    const status = this.answers.shift() ?? 204;
    const { "content-type": type, cookie } = request.headers;
    this.beacons.push({ key, events, path: request.url ?? "", type, cookie, status });
    if (status === 0) request.socket.destroy();
    else response.writeHead(status).end();
  }
}

/** A web site: every address has the same page, of the moment. */
export class Site {
  html = "";
  csp: string | undefined;
  readonly #server = createServer((_, response) => {
    if (this.csp !== undefined) response.setHeader("content-security-policy", this.csp);
    response.setHeader("content-type", "text/html").end(this.html);
  });
  url = "";

  async start(): Promise<void> {
    this.url = await listening(this.#server, "127.0.0.1");
  }

  stop(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}
