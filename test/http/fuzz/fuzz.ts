import { expect } from "vitest";
import { fixedClock } from "../../../src/core/base/time.js";
import type { Daybook } from "../../../src/engine/daybook.js";
import { memoryStorage, openDaybook } from "../../../src/index.js";
import { listen } from "../../../src/platform/node/index.js";
import type { Random } from "../../../src/testing/random.js";
import { seededRandom } from "../../../src/testing/random.js";
import { handlerOf, NOW_MS } from "../kit.js";
import { flawsOf } from "./check-answer.js";
import type { FuzzAnswer } from "./check-answer.js";
import { fuzzRequest } from "./requests.js";
import type { FuzzRequest, Memory } from "./requests.js";
import { overSocket, overWeb, overWire } from "./transports.js";

const HANG_MS = 20_000;
/** Every so many requests go over a real socket, and every so many of these break off. */
const SOCKET_EVERY = 10;
const BREAK_EVERY = 50;

/**
 * Sends random requests to a Daybook and checks each answer, and that what is refused changes nothing. The same seed sends
 * the same requests.
 */
export async function fuzz(seed: number, requestCount: number): Promise<Readonly<Record<number, number>>> {
  const random = seededRandom(seed);
  const clock = fixedClock(NOW_MS);
  const daybook = await openDaybook({ storage: memoryStorage(), clock, random: (bytes) => bytes.forEach((_, at) => (bytes[at] = random.below(256))) });
  await daybook.ingest(["shop", "site"].map((project) => ({ name: "a", project, userId: "u1", createdAt: NOW_MS })));
  let requestCounter = 0;
  const handler = handlerOf(daybook, { clock, requestId: () => `r-${(requestCounter += 1)}` });
  const server = await listen(handler, { limits: { headersMs: 2_000, requestMs: 4_000 } });
  const memory: Memory = { etags: [], ids: [], cursors: [] };
  const statuses: Record<number, number> = {};
  try {
    let before = await stateOf(daybook);
    for (let at = 0; at < requestCount; at += 1) {
      const request = fuzzRequest(random, memory);
      const breaksOff = at % BREAK_EVERY === 0;
      const place = `DAYBOOK_SEED=${seed} DAYBOOK_FUZZ_REQUESTS=${at + 1}, the last one:\n${shown(request)}`;
      const answer = await soon(answerOf(at, request, breaksOff), place);
      if (answer !== null) {
        statuses[answer.status] = (statuses[answer.status] ?? 0) + 1;
        const flaws = breaksOff ? (answer.status === 500 ? ["status 500"] : []) : flawsOf(request, answer);
        expect(flaws, `${place}\n${answer.status} ${answer.text.slice(0, 500)}`).toEqual([]);
        remember(answer, memory, random);
      }
      const after = await stateOf(daybook);
      if (answer !== null && answer.status >= 400) expect(after, place).toBe(before);
      const gain = answer === null || answer.status >= 400 || breaksOff ? null : gainOf(request, answer);
      if (gain !== null) expect(eventCountOf(after), place).toBe(eventCountOf(before) + gain);
      before = after;
    }
  } finally {
    await server.close();
    await daybook.close();
  }
  return statuses;

  async function answerOf(at: number, request: FuzzRequest, breaksOff: boolean): Promise<FuzzAnswer | null> {
    if (breaksOff) return await overSocket(server.port, request, random.below(2_000));
    if (at % SOCKET_EVERY === 0) return isSendable(request) ? await overSocket(server.port, request) : null;
    return (at % 2 === 0 ? await overWeb(handler, request) : null) ?? (await overWire(handler, request));
  }
}

/** What the parser itself refuses has its own tests, and no envelope of a path. */
function isSendable({ method, target, headers }: FuzzRequest): boolean {
  return /^[\x21-\x7e]+$/.test(target) && method !== "TRACE" && headers.every(([, value]) => /^[\x20-\x7e]*$/.test(value));
}

/** Everything a refused request might have changed. */
async function stateOf(daybook: Daybook): Promise<string> {
  const { eventCount, storedByteLength } = await daybook.stats();
  const kept = [await daybook.privacyRequests.list(), await daybook.segments.list()];
  return JSON.stringify([eventCount, storedByteLength, daybook.projects(), await daybook.countUniqueUsers(), kept]);
}

function eventCountOf(state: string): number {
  return (JSON.parse(state) as [number])[0];
}

/** Events that are there because of an answer, or are gone because of it; null where it does not tell. */
function gainOf(request: FuzzRequest, { text }: FuzzAnswer): number | null {
  const isOfAnother = request.headers.some(([, value]) => value.includes("sk_other_0123456789abcdefgh") || value.includes(btoa("sk_other_0123456789abcdefgh:")));
  const deleted = /^\{"deleted_at":"[^"]*","events":(\d+)/.exec(text);
  if (deleted !== null && !isOfAnother) return -Number(deleted[1]);
  if (isOfAnother || /^\/v1\/(?!events|privacy)/.test(request.target) || text === "" || !text.startsWith("{")) return request.method === "POST" ? null : 0;
  const body = JSON.parse(text.split("\n")[0] ?? "") as { accepted?: number; receipt?: { events: number } | null };
  return (body.accepted ?? 0) - (request.target.endsWith("/resolve") ? (body.receipt?.events ?? 0) : 0);
}

function remember({ text, headers }: FuzzAnswer, memory: Memory, random: Random): void {
  const etag = headers.get("etag");
  if (etag !== undefined) memory.etags.push(etag);
  for (const [list, pattern] of [[memory.ids, /"id":"([0-9a-f-]{36})","type"/], [memory.cursors, /"cursor":"([^"]+)"/]] as const) {
    const found = pattern.exec(text)?.[1];
    if (found !== undefined && random.chance(0.5)) list.push(found);
    if (list.length > 20) list.shift();
  }
}

async function soon<T>(answer: Promise<T>, place: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const hang = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer: ${place}`)), HANG_MS);
  });
  try {
    return await Promise.race([answer, hang]);
  } finally {
    clearTimeout(timer);
  }
}

function shown({ method, target, headers, body }: FuzzRequest): string {
  const text = body === null ? "" : Buffer.from(body.subarray(0, 1_000)).toString("latin1");
  return `${method} ${target.slice(0, 500)}\n${headers.slice(0, 20).map(([name, value]) => `${name}: ${value.slice(0, 200)}`).join("\n")}\n\n${text}`;
}
