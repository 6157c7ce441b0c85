import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Engine, type Bounds } from "./engine.js";
import { Faults } from "./faults.js";
import { readAsked } from "./request.js";

/**
 * ClickHouse's HTTP interface over ClickHouse in this process, until it is told to end. Prints where it listens. Its arguments:
 * where tables stay, its port, and its bounds, as JSON.
 */
const [, , directory = null, port = "0", bounds = "{}"] = process.argv;
const engine = new Engine(directory, JSON.parse(bounds) as Bounds);
const faults = new Faults();
/** Statements that a server ends, because nobody waited for the answer. */
let givenUpCount = 0;

/** Of an address a server reads a mebibyte. */
const server = createServer({ maxHeaderSize: 1_048_576 }, (request, response) => {
  answer(request, response).catch((error: unknown) => refuse(response, error));
});

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? "/", "http://localhost");
  if (pathname === "/ping") return void response.end("Ok.\n");
  if (pathname === "/given-up") return void response.end(String(givenUpCount));
  if (pathname === "/stored") return void response.end(JSON.stringify(await engine.pathsWith(searchParams.get("text") ?? "")));
  if (pathname === "/held") return void response.end(String(faults.heldCount));
  const asked = await readAsked(request);
  if (pathname === "/orders") {
    faults.order(asked.statement);
    return void response.end();
  }
  response.on("close", () => (givenUpCount += asked.isEndedWithClient && !response.writableFinished ? 1 : 0));
  const fault = faults.of(asked.statement);
  if (fault?.kind === "error") throw new Error(fault.message);
  if (fault?.kind === "refuse") return void request.socket.destroy();
  if (fault?.kind === "slow") await pause(fault.ms);
  if (fault?.kind === "hold") await faults.hold();
  const text = await engine.run(asked.statement, asked.rows, asked.terms);
  if (fault?.kind === "fail") throw new Error(fault.message);
  if (fault?.kind === "lose") return void request.socket.destroy();
  response.writeHead(200, { "content-type": "text/plain; charset=utf-8", "x-clickhouse-summary": "{}", "x-clickhouse-exception-tag": TAG });
  const lines = text.split(/(?<=\n)/);
  const half = lines.slice(0, Math.ceil(lines.length / 2)).join("");
  if (fault?.kind === "cut") return void response.write(text.slice(0, text.length / 2), () => request.socket.destroy());
  if (fault?.kind === "break") return void response.end(`${half}\r\n__exception__\r\n${TAG}\r\n${told(fault.message)} ${TAG}\r\n__exception__\r\n`);
  if (fault?.kind === "stall") {
    response.write(half);
    await faults.hold();
  } else if (fault?.kind === "drip") {
    for (const line of lines) {
      response.write(line);
      await pause(fault.ms);
    }
  }
  response.end(fault?.kind === "drip" ? "" : fault?.kind === "stall" ? text.slice(half.length) : text);
}

/** By what a client finds an error behind the first rows. */
const TAG = "daybookdaybookdd";

function told(message: string): string {
  return `${message}\n${Buffer.byteLength(message) + 1}`;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function refuse(response: ServerResponse, error: unknown): void {
  const { message } = error as Error;
  const [, code = "0"] = /Code: (\d+)/.exec(message) ?? [];
  if (!response.headersSent) response.writeHead(500, { "x-clickhouse-exception-code": code });
  response.end(message.replace(/^Query failed: /, ""));
}

// Longer than a client takes a connection for alive, also one that is kept from running for a while.
server.keepAliveTimeout = 120_000;

server.listen(Number(port), "127.0.0.1", () => console.log(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}`));
process.on("SIGTERM", () => {
  server.closeAllConnections();
  engine.close();
  process.exit(0);
});
