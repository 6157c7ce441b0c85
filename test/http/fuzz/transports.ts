import { connect } from "node:net";
import { isStream } from "../../../src/http/wire/request-reply.js";
import type { BodyStream } from "../../../src/http/wire/request-reply.js";
import type { Handler } from "../../../src/http/index.js";
import type { FuzzAnswer } from "./check-answer.js";
import type { FuzzRequest } from "./requests.js";

/** Longer than any request here may take. */
const HANG_MS = 20_000;

/** As a transport without web objects would hand it over. */
export async function overWire(handler: Handler, request: FuzzRequest): Promise<FuzzAnswer> {
  const body = request.body ?? new Uint8Array(0);
  const header = (name: string) => request.headers.find(([each]) => each.toLowerCase() === name)?.[1].trim() ?? null;
  const { status, headers, body: answer } = await handler.answer({
    method: request.method,
    target: request.target,
    signal: new AbortController().signal,
    header,
    readBody: async (_, onBytes) => {
      onBytes?.(body.length);
      return body;
    },
  });
  const text = answer === null ? "" : typeof answer === "string" ? answer : isStream(answer) ? await beginningOf(answer) : new TextDecoder().decode(answer);
  return { status, headers: new Map(Object.entries(headers)), text };
}

/** Of a body without an end. */
async function beginningOf(stream: BodyStream): Promise<string> {
  const piece = await stream.next();
  stream.cancel();
  return piece ?? "";
}

/** As a web request, where there can be one: null otherwise. */
export async function overWeb(handler: Handler, { method, target, headers, body }: FuzzRequest): Promise<FuzzAnswer | null> {
  let request: Request;
  try {
    request = new Request(`http://daybook.test${target}`, { method, headers: headers.map(([name, value]): [string, string] => [name, value]), body: body as BodyInit | null });
  } catch {
    return null;
  }
  if (new URL(request.url).pathname + new URL(request.url).search !== target) return null;
  const response = await handler(request);
  return { status: response.status, headers: new Map(response.headers), text: await textOf(response) };
}

async function textOf(response: Response): Promise<string> {
  if (response.headers.get("content-type") !== "text/event-stream" || response.body === null) return await response.text();
  const reader = response.body.getReader();
  const { value } = await reader.read();
  await reader.cancel();
  return new TextDecoder().decode(value);
}

/** As bytes on a socket; `breakAt` of them where given, and then the end. Null when nothing came back. */
export async function overSocket(port: number, request: FuzzRequest, breakAt?: number): Promise<FuzzAnswer | null> {
  const { method, target, headers, body } = request;
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  const length = body === null ? "" : `Content-Length: ${body.length}\r\n`;
  const head = Buffer.from(`${method} ${target} HTTP/1.1\r\nHost: x\r\n${length}Connection: close\r\n${lines}\r\n`, "utf8");
  const bytes = Buffer.concat([head, body ?? new Uint8Array(0)]);
  const received = await new Promise<string>((resolve, reject) => {
    let text = "";
    const socket = connect(port, "127.0.0.1");
    socket.setTimeout(HANG_MS, () => reject(new Error("the server hangs")));
    if (breakAt === undefined) socket.write(bytes);
    else socket.end(bytes.subarray(0, breakAt % bytes.length));
    socket.on("data", (chunk) => (text += chunk.toString("utf8"))).on("error", () => undefined);
    // What has no end is left when it has begun.
    socket.on("data", () => /^content-type: text\/event-stream\r$/im.test(text) && text.includes("retry:") && socket.destroy());
    socket.on("close", () => resolve(text)).on("end", () => socket.destroy());
  });
  if (received === "") return null;
  const [top = "", ...rest] = received.split("\r\n\r\n");
  const [statusLine = "", ...headerLines] = top.split("\r\n");
  const pairs = headerLines.map((line) => [line.slice(0, line.indexOf(":")).toLowerCase(), line.slice(line.indexOf(":") + 1).trim()] as const);
  return { status: Number(statusLine.split(" ")[1]), headers: new Map(pairs), text: rest.join("\r\n\r\n") };
}
