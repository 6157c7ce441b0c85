import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { AddressInfo } from "node:net";
import type { Daybook } from "daybook";
import { createHandler, memoryTokens } from "daybook/http";
import { sha256Hex, toNodeHandler } from "daybook/node";

export const READER = "sk_reader_of_the_shop_0123456789abcdefgh";
export const OTHER_READER = "sk_other_reader_of_the_shop_0123456789abc";
const SCRIPT = '<script type="module" src="/embed.js"></script>';

/** A product with pages of its own, which passes requests for Daybook on. */
export class EmbeddingSite {
  /** What stands in the body of the page. */
  body = "";
  head = "";
  /** What loads the elements. */
  script = SCRIPT;
  /** Answers of the route of tokens, in turn; the last one is repeated. */
  tokenAnswers: (string | object | number)[] = [{ token: READER }];
  /** Requests for tokens, with their cookies; and queries: name, token and input. */
  readonly tokenRequests: (string | undefined)[] = [];
  readonly queries: { readonly name: string; readonly token: string; readonly input: unknown }[] = [];
  /** Answers queries in the place of Daybook: a status, or null for Daybook itself. */
  statusOf: (name: string) => number | null = () => null;
  url = "";
  readonly #server = createServer((request, response) => void this.#answer(request, response));
  readonly #daybook: ReturnType<typeof toNodeHandler>;

  private constructor(daybook: Daybook, script: string) {
    const token = (value: string) => ({ token: value, role: "viewer", scopes: ["analytics:read"], organization: "default", project: "shop" }) as const;
    const handler = createHandler({
      organizations: { default: daybook },
      tokens: memoryTokens([token(READER), token(OTHER_READER)]),
      files: { embed: { text: script, gzip: null } },
      sha256Hex,
    });
    this.#daybook = toNodeHandler(handler);
  }

  /** @param programs the directory of the built script */
  static async of(daybook: Daybook, programs: string): Promise<EmbeddingSite> {
    const site = new EmbeddingSite(daybook, await readFile(join(programs, "embed.js"), "utf8"));
    await new Promise<void>((resolve) => site.#server.listen(0, "127.0.0.1", resolve));
    site.url = `http://127.0.0.1:${(site.#server.address() as AddressInfo).port}`;
    return site;
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeAllConnections();
    await closed;
  }

  reset(): void {
    this.script = SCRIPT;
    [this.body, this.head, this.tokenAnswers, this.statusOf] = ["", "", [{ token: READER }], () => null];
    [this.tokenRequests.length, this.queries.length] = [0, 0];
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // Daybook is at the root, and below a path.
    request.url = request.url?.replace(/^\/stats(?=\/)/, "") ?? "/";
    const path = request.url;
    if (path === "/page") return void response.writeHead(200, { "content-type": "text/html; charset=utf-8", "set-cookie": "session=ada" }).end(this.#page());
    if (path === "/token") return this.#token(request, response);
    const [, name] = /^\/v1\/query\/(\w+)$/.exec(path) ?? [];
    if (name === undefined || request.headers["x-past-count"] !== undefined) return this.#daybook(request, response);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    this.queries.push({ name, token: (request.headers.authorization ?? "").slice("Bearer ".length), input: JSON.parse(text) as unknown });
    const status = this.statusOf(name);
    if (status !== null) return void response.writeHead(status).end();
    const answer = await this.ask(name, text, request.headers.authorization ?? "");
    response.writeHead(answer.status, { "content-type": "application/json" }).end(await answer.text());
  }

  /** Asks Daybook itself, past the count of queries. */
  async ask(name: string, body: string, authorization = `Bearer ${READER}`): Promise<Response> {
    return await fetch(`${this.url}/v1/query/${name}`, { method: "POST", headers: { authorization, "content-type": "application/json", "x-past-count": "1" }, body });
  }

  #token(request: IncomingMessage, response: ServerResponse): void {
    this.tokenRequests.push(request.headers.cookie);
    const answer = (this.tokenAnswers.length > 1 ? this.tokenAnswers.shift() : this.tokenAnswers[0]) ?? 500;
    if (typeof answer === "number") response.writeHead(answer).end();
    else response.end(typeof answer === "string" ? answer : JSON.stringify(answer));
  }

  #page(): string {
    return `<!doctype html><html lang="en-GB"><head><title>Product</title><meta name="viewport" content="width=device-width, initial-scale=1">
${this.script}${this.head}</head><body><main><h1>Your numbers</h1>${this.body}</main></body></html>`;
  }
}
