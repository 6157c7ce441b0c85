import type { Socket } from "node:net";
import { parentPort, workerData, type MessagePort } from "node:worker_threads";
import { EdgeFilter } from "../../http/overload/edge-filter.js";
import { PromptAnswers } from "../../http/overload/prompt-answers.js";
import type { RequestFindings, WireReply } from "../../http/wire/request-reply.js";
import { listenWith } from "./listen.js";
import { sha256Hex } from "./sha256-hex.js";
import type { SocketRequest } from "./socket-request.js";
import {
  errorMessageOf, transferable, outbox, type RequestMessage, type FromSockets, type WorkerStartData, type WorkerReply, type ToSockets,
} from "./worker-messages.js";
import { RemoteStreams } from "./streams.js";

/** Longest body that is sent with the request, before the handler reads it, in bytes: enough for most queries. */
const SHORT_BODY_BYTES_MAX = 4 * 1024;

interface PendingRequest {
  readonly request: SocketRequest;
  answer(reply: WireReply): void;
  abort(): void;
  /** Releases the share of the budget that its body uses. */
  release(): void;
}

const port = parentPort;
if (port === null || (workerData ?? null) === null) throw new Error("expected to be started by listenOnWorker");
const { options, rules } = workerData as WorkerStartData;
const out = outbox<FromSockets>(port);
const edgeFilter = new EdgeFilter(rules, sha256Hex, (refusal) => out.add(() => ({ kind: "refused", refusal })));
const promptAnswers = new PromptAnswers();
const pending = new Map<number, PendingRequest>();
const idsBySocket = new WeakMap<Socket, Set<number>>();
const streams = new RemoteStreams(out);
let requestCount = 0;

/** Sends a request to the handler's thread. Rejects if there is no answer. */
function forward(request: SocketRequest, findings: RequestFindings): Promise<WireReply> {
  return new Promise((answer, reject) => {
    if (request.signal.aborted) return reject(new Error("the caller disconnected"));
    const id = (requestCount += 1);
    pending.set(id, { request, answer, abort: () => reject(new Error("no answer")), release: () => undefined });
    idsOf(request.incoming.socket).add(id);
    out.add(() => ({ kind: "request", id, request: messageOf(request, findings) }));
  });
}

function idsOf(socket: Socket): Set<number> {
  const existing = idsBySocket.get(socket);
  if (existing !== undefined) return existing;
  const ids = new Set<number>();
  idsBySocket.set(socket, ids);
  // On the socket: an answer queued after others gets no `close` event.
  socket.once("close", () => {
    for (const id of ids) out.add(() => ({ kind: "disconnected", id }));
  });
  return ids;
}

function messageOf(request: SocketRequest, findings: RequestFindings): RequestMessage {
  const { method, target, address, incoming } = request;
  const headers: Record<string, string> = {};
  for (const name in incoming.headers) headers[name] = String(incoming.headers[name]);
  const body = request.completeBody(SHORT_BODY_BYTES_MAX);
  return { method, target, address, known: findings, headers, body: body === null ? null : transferable(body) };
}

async function read(id: number, maxByteLength: number, isKeyless: boolean): Promise<void> {
  const entry = pending.get(id);
  if (entry === undefined) return;
  // Held until the answer, although the handler counts these bytes too: while in transit they are counted only here.
  const held = edgeFilter.admission.hold(isKeyless ? null : "");
  entry.release = () => held.release();
  try {
    held.expect(Number(entry.request.header("content-length") ?? 0));
    const bytes = await entry.request.readBody(maxByteLength, (byteLength) => held.take(byteLength));
    // Counts as keyless only until it is complete: the handler then soon finds its key.
    if (isKeyless) void held.assignOrganization("");
    out.add(() => ({ kind: "body", id, bytes: transferable(bytes) }));
  } catch (thrown) {
    out.add(() => ({ kind: "bodyFailed", id, fault: errorMessageOf(thrown) }));
  }
}

async function reply(request: SocketRequest): Promise<WireReply> {
  request.bufferBody();
  const decision = await edgeFilter.admit(request);
  try {
    if (decision.refusal !== null) return decision.refusal;
    const { findings, isPrompt } = decision;
    const answer = await (isPrompt ? promptAnswers.answer(request, findings.path, () => forward(request, findings)) : forward(request, findings));
    decision.answered(answer);
    return answer;
  } finally {
    decision.release();
    request.dropBody();
  }
}

function remove(id: number): PendingRequest | undefined {
  const entry = pending.get(id);
  if (entry === undefined) return undefined;
  pending.delete(id);
  idsOf(entry.request.incoming.socket).delete(id);
  entry.release();
  return entry;
}

function answered(id: number, { status, headers, body }: WorkerReply, stream: "endless" | "finite" | null): void {
  const entry = remove(id);
  if (stream !== null && entry === undefined) out.add(() => ({ kind: "cancel", id }));
  entry?.answer({ status, headers, body: stream === null ? body : streams.open(id, stream === "finite") });
}

async function start(to: MessagePort): Promise<void> {
  try {
    const onUnwritten = (thrown: unknown, requestId: string) => out.add(() => ({ kind: "unwritten", requestId, fault: errorMessageOf(thrown) }));
    const listening = await listenWith(reply, options, rules.routes, onUnwritten);
    to.on("message", (messages: readonly ToSockets[]) => {
      for (const message of messages) {
        if (message.kind === "read") void read(message.id, message.maxByteLength, message.isKeyless);
        else if (message.kind === "reply") answered(message.id, message.reply, message.stream);
        else if (message.kind === "chunk") streams.receive(message.id, message.chunk, message.hasFailed);
        else if (message.kind === "abort") remove(message.id)?.abort();
        else void listening.close().then(() => out.add(() => ({ kind: "closed" })));
      }
    });
    out.add(() => ({ kind: "listening", port: listening.port, url: listening.url }));
  } catch (error) {
    out.add(() => ({ kind: "failed", error, properties: { ...(error as object) } }));
  }
}

void start(port);
