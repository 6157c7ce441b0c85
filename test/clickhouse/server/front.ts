import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { Faults } from "./faults.js";
import { readAsked, type Asked } from "./request.js";

/** What a server said to a statement. */
export interface Said {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** Who runs statements behind a front. */
export interface Backend {
  /** @param signal nobody waits any longer */
  run(asked: Asked, signal: AbortSignal): Promise<Said>;
  /** The files in which a text of small letters stands, compressed or not. */
  pathsWith(text: string): Promise<string[]>;
}

/** By what a client finds an error behind the first rows. */
const TAG = "daybookdaybookdd";

/** ClickHouse's HTTP interface to what is behind, and the faults that tests order. */
export function frontOf(backend: Backend): Server {
  const faults = new Faults();
  /** Statements that a server ends, because nobody waited for the answer. */
  let givenUpCount = 0;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://localhost");
    if (pathname === "/ping") return void response.end("Ok.\n");
    if (pathname === "/given-up") return void response.end(String(givenUpCount));
    if (pathname === "/stored") return void response.end(JSON.stringify(await backend.pathsWith(searchParams.get("text") ?? "")));
    if (pathname === "/held") return void response.end(String(faults.heldCount));
    const asked = await readAsked(request);
    if (pathname === "/orders") {
      faults.order(asked.statement);
      return void response.end();
    }
    const gone = new AbortController();
    response.on("close", () => {
      if (response.writableFinished) return;
      givenUpCount += asked.isEndedWithClient ? 1 : 0;
      gone.abort();
    });
    const fault = faults.of(asked.statement);
    if (fault?.kind === "error") throw new Error(fault.message);
    if (fault?.kind === "refuse") return void request.socket.destroy();
    if (fault?.kind === "slow") await pause(fault.ms);
    if (fault?.kind === "hold") await faults.hold();
    const { status, headers, text } = await backend.run(asked, gone.signal);
    if (fault?.kind === "fail") throw new Error(fault.message);
    if (fault?.kind === "lose") return void request.socket.destroy();
    response.writeHead(status, { ...headers, "content-type": "text/plain; charset=utf-8", "x-clickhouse-exception-tag": TAG });
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

  /** Of an address a server reads a mebibyte. */
  const server = createServer({ maxHeaderSize: 1_048_576 }, (request, response) => {
    answer(request, response).catch((error: unknown) => refuse(response, error));
  });
  // Longer than a client takes a connection for alive, also one that is kept from running for a while.
  server.keepAliveTimeout = 120_000;
  return server;
}

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
