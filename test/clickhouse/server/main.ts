import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Engine } from "./engine.js";
import { Faults } from "./faults.js";
import { readAsked } from "./request.js";

/** ClickHouse's HTTP interface over ClickHouse in this process, until it is told to end. Prints where it listens. Its argument: where tables stay. */
const engine = new Engine(process.argv[2] ?? null);
const faults = new Faults();
/** Statements of which nobody waited for the answer. */
let givenUpCount = 0;

const server = createServer((request, response) => {
  answer(request, response).catch((error: unknown) => refuse(response, error));
});

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? "/", "http://localhost");
  if (pathname === "/ping") return void response.end("Ok.\n");
  if (pathname === "/given-up") return void response.end(String(givenUpCount));
  if (pathname === "/stored") return void response.end(JSON.stringify(await engine.pathsWith(searchParams.get("text") ?? "")));
  const asked = await readAsked(request);
  if (pathname === "/orders") {
    faults.order(asked.statement);
    return void response.end();
  }
  response.on("close", () => (givenUpCount += response.writableFinished ? 0 : 1));
  const fault = faults.of(asked.statement);
  if (fault?.kind === "error") throw new Error(fault.message);
  if (fault?.kind === "refuse") return void request.socket.destroy();
  if (fault?.kind === "slow") await new Promise((resolve) => setTimeout(resolve, fault.ms));
  const text = await engine.run(asked.statement, asked.rows, asked.terms);
  if (fault?.kind === "lose") return void request.socket.destroy();
  response.writeHead(200, { "content-type": "text/plain; charset=utf-8", "x-clickhouse-summary": "{}" });
  if (fault?.kind === "cut") return void response.write(text.slice(0, text.length / 2), () => request.socket.destroy());
  response.end(text);
}

function refuse(response: ServerResponse, error: unknown): void {
  const { message } = error as Error;
  const [, code = "0"] = /Code: (\d+)/.exec(message) ?? [];
  if (!response.headersSent) response.writeHead(500, { "x-clickhouse-exception-code": code });
  response.end(message.replace(/^Query failed: /, ""));
}

// As long as that of ClickHouse: a client takes a connection for alive for a little less.
server.keepAliveTimeout = 10_000;

server.listen(0, "127.0.0.1", () => console.log(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}`));
process.on("SIGTERM", () => {
  server.closeAllConnections();
  engine.close();
  process.exit(0);
});
