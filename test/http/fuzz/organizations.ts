import { expect } from "vitest";
import { fixedClock } from "../../../src/core/base/time.js";
import { createHandler, memoryTokens } from "../../../src/http/index.js";
import type { Handler } from "../../../src/http/index.js";
import { memoryStorage, openDaybook } from "../../../src/index.js";
import { seededRandom } from "../../../src/testing/random.js";
import { generateTraffic } from "../../../src/testing/traffic-generator.js";
import { NOW_MS, TOKENS } from "../kit.js";
import { fuzzRequest } from "./requests.js";
import type { FuzzRequest, Memory } from "./requests.js";
import type { FuzzAnswer } from "./check-answer.js";
import { overWire } from "./transports.js";

const EVENT_COUNT = 200;
const SECRET = "only-the-other-organization-has-this";

/** Two organizations behind one handler; the other one's is empty where it has no data. */
async function world(seed: number, otherHasData: boolean) {
  const clock = fixedClock(NOW_MS);
  const open = async (own: number, projects: readonly string[], eventCount: number) => {
    const random = seededRandom(own);
    const fill = (bytes: Uint8Array) => bytes.forEach((_, at) => (bytes[at] = random.below(256)));
    const daybook = await openDaybook({ storage: memoryStorage(), clock, random: fill });
    await daybook.ingest([...generateTraffic({ seed, eventCount, projects, startMs: NOW_MS - 20 * 86_400_000, dayCount: 15, visitorCount: 5 })]);
    return daybook;
  };
  const own = await open(seed, ["shop", "site"], EVENT_COUNT);
  // The same ids, names and times, so that whatever is shared by accident is met; and more of its own.
  const other = await open(seed + 1, ["shop", "site", "nope", SECRET], otherHasData ? 2 * EVENT_COUNT : 0);
  if (otherHasData) {
    await other.ingest([{ name: SECRET, userId: SECRET, project: SECRET, companyId: SECRET, metadata: { [SECRET]: SECRET } }]);
    await other.identify({ userId: SECRET, email: "ann@example.org" });
    await other.privacyRequests.create({ type: "access", subject: { email: "ann@example.org" } });
  }
  let requestCounter = 0;
  const handler = createHandler({
    organizations: { default: own, other },
    tokens: memoryTokens(TOKENS),
    clock,
    requestId: () => `r-${(requestCounter += 1)}`,
    limits: { failedTokenCount: Number.MAX_SAFE_INTEGER },
  });
  return { handler, close: () => Promise.all([own.close(), other.close()]) };
}

/**
 * Asks one organization the same at random with and without the data of another in the same process. Cursors, ids and tags of
 * the other come back as parameters.
 */
export async function askTwice(seed: number, pairCount: number): Promise<void> {
  const random = seededRandom(seed);
  const alone = await world(seed, false);
  const beside = await world(seed, true);
  const memory: Memory = { etags: [], ids: [], cursors: [] };
  try {
    for (let at = 0; at < pairCount; at += 1) {
      if (random.chance(0.3)) remember(await overWire(beside.handler, by("sk_other_0123456789abcdefgh", fuzzRequest(random, memory))), memory);
      const request = by(random.pick(["sk_owner_0123456789abcdefgh", "sk_owner_0123456789abcdefgh", "sk_shop_0123456789abcdefgh", "sk_analytics_0123456789abcdefgh"]), fuzzRequest(random, memory));
      // Shows durations.
      if (request.target.startsWith("/metrics")) continue;
      const answers = [await answerTo(alone.handler, request), await answerTo(beside.handler, request)] as const;
      const place = `DAYBOOK_SEED=${seed} DAYBOOK_ORGANIZATION_PAIRS=${at + 1}: ${request.method} ${request.target} ${Buffer.from(request.body ?? []).toString()}`;
      expect(answers[1], place).toEqual(answers[0]);
      expect(answers[1].text.includes(SECRET), place).toBe(false);
      remember(answers[1], memory);
    }
  } finally {
    await Promise.all([alone.close(), beside.close()]);
  }
}

/** Both worlds count requests on their own, so the request's id is given. */
function answerTo(handler: Handler, request: FuzzRequest): Promise<FuzzAnswer> {
  const headers = request.headers.filter(([name]) => name.toLowerCase() !== "x-request-id");
  return overWire(handler, { ...request, headers: [...headers, ["x-request-id", "pair"]] });
}

function by(token: string, request: FuzzRequest): FuzzRequest {
  const headers = request.headers.filter(([name]) => name.toLowerCase() !== "authorization");
  return { ...request, headers: [...headers, ["authorization", `Bearer ${token}`]] };
}

/** The newest of everything: which organization it is from is left to chance. */
function remember({ headers, text }: FuzzAnswer, memory: Memory): void {
  const etag = headers.get("etag");
  if (etag !== undefined) memory.etags.push(etag);
  const cursor = /"cursor":"([^"]+)"/.exec(text)?.[1];
  if (cursor !== undefined) memory.cursors.push(cursor);
  const id = /"id":"([0-9a-f-]{36})","type"/.exec(text)?.[1];
  if (id !== undefined) memory.ids.push(id);
  for (const list of [memory.etags, memory.cursors, memory.ids]) if (list.length > 10) list.shift();
}
