import type { Socket } from "node:net";
import { parentPort, workerData } from "node:worker_threads";
import type { MessagePort } from "node:worker_threads";
import { EdgeFilter } from "../../http/overload/edge-filter.js";
import type { RequestFindings, WireReply } from "../../http/wire/exchange.js";
import { listenWith } from "./listen.js";
import { sha256Hex } from "./sha256-hex.js";
import type { SocketRequest } from "./socket-exchange.js";
import { faultOf, givable, outbox } from "./thread-messages.js";
import type { RequestMessage, FromSockets, ThreadData, ThreadReply, ToSockets } from "./thread-messages.js";
import { RemoteStreams } from "./streams.js";

/** Longest body that is sent with the request, before the handler asks for it, in bytes: enough for most queries. */
const SHORT_BODY_BYTES_MAX = 4 * 1024;

/** A request that the handler has not answered. */
interface PendingRequest {
  readonly request: SocketRequest;
  answer(reply: WireReply): void;
  cut(): void;
  /** Releases the share of the budget that its body uses. */
  release(): void;
}

const port = parentPort;
if (port === null || (workerData ?? null) === null) throw new Error("expected to be started by listenOnThread");
const { options, rules } = workerData as ThreadData;
const out = outbox<FromSockets>(port);
const front = new EdgeFilter(rules, sha256Hex, (refusal) => out.add(() => ({ kind: "refused", refusal })));
const waiting = new Map<number, PendingRequest>();
/** The pending requests of each connection. */
const idsBySocket = new WeakMap<Socket, Set<number>>();
const streams = new RemoteStreams(out);
let requestCount = 0;

/** Sends a request to the handler's thread. Rejects if it has no answer. */
function ask(request: SocketRequest, known: RequestFindings): Promise<WireReply> {
  return new Promise((answer, reject) => {
    if (request.signal.aborted) return reject(new Error("the caller disconnected"));
    const id = (requestCount += 1);
    waiting.set(id, { request, answer, cut: () => reject(new Error("no answer")), release: () => undefined });
    idsOf(request.incoming.socket).add(id);
    out.add(() => ({ kind: "asked", id, asked: askedOf(request, known) }));
  });
}

function idsOf(socket: Socket): Set<number> {
  const known = idsBySocket.get(socket);
  if (known !== undefined) return known;
  const ids = new Set<number>();
  idsBySocket.set(socket, ids);
  // On the socket: an answer queued after others gets no `close` event.
  socket.once("close", () => {
    for (const id of ids) out.add(() => ({ kind: "gone", id }));
  });
  return ids;
}

function askedOf(request: SocketRequest, known: RequestFindings): RequestMessage {
  const { method, target, address, incoming } = request;
  const headers: Record<string, string> = {};
  for (const name in incoming.headers) headers[name] = String(incoming.headers[name]);
  const body = request.wholeBody(SHORT_BODY_BYTES_MAX);
  return { method, target, address, known, headers, body: body === null ? null : givable(body) };
}

async function read(id: number, maxByteLength: number, isKeyless: boolean): Promise<void> {
  const asked = waiting.get(id);
  if (asked === undefined) return;
  // Held until the answer, although the handler counts these bytes too: in transit only this counts them.
  const held = front.admission.hold(isKeyless ? null : "");
  asked.release = () => held.release();
  try {
    held.expect(Number(asked.request.header("content-length") ?? 0));
    const bytes = await asked.request.readBody(maxByteLength, (byteLength) => held.take(byteLength));
    // Only slow bodies count as keyless: the handler checks a complete one, and soon finds its key.
    if (isKeyless) void held.assignOrganization("");
    out.add(() => ({ kind: "body", id, bytes: givable(bytes) }));
  } catch (thrown) {
    out.add(() => ({ kind: "noBody", id, fault: faultOf(thrown) }));
  }
}

async function reply(request: SocketRequest): Promise<WireReply> {
  request.takeBody();
  const entered = await front.admit(request);
  try {
    return entered.refusal ?? (await ask(request, entered.findings));
  } finally {
    entered.release();
    request.dropBody();
  }
}

function ended(id: number): PendingRequest | undefined {
  const known = waiting.get(id);
  if (known === undefined) return undefined;
  waiting.delete(id);
  idsOf(known.request.incoming.socket).delete(id);
  known.release();
  return known;
}

function answered(id: number, { status, headers, body }: ThreadReply, stream: "endless" | "finite" | null): void {
  const asked = ended(id);
  if (stream !== null && asked === undefined) out.add(() => ({ kind: "enough", id }));
  asked?.answer({ status, headers, body: stream === null ? body : streams.open(id, stream === "finite") });
}

async function start(to: MessagePort): Promise<void> {
  try {
    const onUnwritten = (thrown: unknown, requestId: string) => out.add(() => ({ kind: "unwritten", requestId, fault: faultOf(thrown) }));
    const listening = await listenWith(reply, options, rules.routes, onUnwritten);
    to.on("message", (messages: readonly ToSockets[]) => {
      for (const message of messages) {
        if (message.kind === "read") void read(message.id, message.maxByteLength, message.isKeyless);
        else if (message.kind === "reply") answered(message.id, message.reply, message.stream);
        else if (message.kind === "piece") streams.came(message.id, message.piece, message.isCut);
        else if (message.kind === "cut") ended(message.id)?.cut();
        else void listening.close().then(() => out.add(() => ({ kind: "closed" })));
      }
    });
    out.add(() => ({ kind: "listening", port: listening.port, url: listening.url }));
  } catch (error) {
    out.add(() => ({ kind: "failed", error, own: { ...(error as object) } }));
  }
}

void start(port);
