import { fixedClock, openDaybook, type Daybook, type IdentityInput } from "daybook";
import { expect, test } from "vitest";
import { baseSeed, strideOf } from "../oracle/settings.js";
import type { Objects } from "./objects.js";
import { RecordingStorage } from "./recording-storage.js";
import { storedText } from "./stored-text.js";

const nowMs = Date.UTC(2026, 2, 31, 12);
const clock = fixedClock(nowMs);
const at = (minute: number) => nowMs - 86_400_000 + minute * 60_000;
const SECRET = "zanzibar";
/** The default suite tries one moment in so many, the long one all of them. */
const STRIDE = strideOf(5, 1);

/** One act of a store's life. All but the last are told by what the queries below answer. */
const acts: readonly ((daybook: Daybook) => Promise<unknown>)[] = [
  (daybook) => daybook.ingest([{ id: "1", name: "visit", anonymousId: "device", createdAt: at(0), browser: SECRET }]),
  (daybook) => daybook.identify({ id: "i1", userId: "ann", anonymousId: "device", email: `ann@${SECRET}.example`, createdAt: at(1) }),
  (daybook) => daybook.seal(),
  (daybook) => daybook.group({ id: "g1", companyId: "acme", userId: "ann", traits: { name: "Acme" }, createdAt: at(2) }),
  (daybook) => daybook.ingest([{ id: "2", name: "visit", userId: "bob", createdAt: at(3) }]),
  (daybook) => daybook.alias({ id: "a1", from: "bob", to: "ann", createdAt: at(4) }),
  (daybook) => daybook.seal(),
  async (daybook) => {
    const { linkId } = await daybook.alias({ id: "a1", from: "bob", to: "ann", createdAt: at(4) });
    await daybook.unlink(linkId);
  },
  (daybook) => Promise.all([daybook.identify({ id: "i2", userId: "carl", createdAt: at(5) }), daybook.ingest([{ id: "3", name: "visit", userId: "carl", createdAt: at(6) }])]),
  (daybook) => daybook.segments.put("theirs", { groups: [{ conditions: [{ type: "trait", field: "email", operator: "in", value: ["x", `Ann@${SECRET}.example`] }] }] }),
  (daybook) => daybook.segments.put("others", { groups: [{ conditions: [{ type: "did", eventName: "visit" }] }] }),
  (daybook) => daybook.privacyRequests.create({ type: "erasure", subject: { userId: "ann" } }),
  async (daybook) => {
    const [request] = await daybook.privacyRequests.list();
    await daybook.privacyRequests.verify(request?.id ?? "");
  },
  async (daybook) => {
    const [request] = await daybook.privacyRequests.list();
    await daybook.privacyRequests.acknowledge(request?.id ?? "");
  },
  async (daybook) => {
    const [request] = await daybook.privacyRequests.list();
    await daybook.privacyRequests.resolve(request?.id ?? "", "completed");
  },
];

async function answersOf(daybook: Daybook): Promise<string> {
  const found = async (subject: IdentityInput) => await daybook.identityProfile(subject).catch((error: unknown) => (error as { code: string }).code);
  return JSON.stringify([
    (await daybook.searchEvents()).events,
    await daybook.countUniqueUsers(),
    await found({ email: `ann@${SECRET}.example` }),
    await found({ userId: "bob" }),
    await found({ userId: "device" }),
    await found({ userId: "carl" }),
    (await daybook.topCompanies()).companies,
    (await daybook.privacyRequests.list()).map(({ status, subject }) => [status, subject]),
    (await daybook.segments.list()).map(({ name }) => name),
  ]);
}

/** Lives through all acts; notes what was stored after every operation, and how many acts were over by then. */
async function live(): Promise<{ moments: { objects: Objects; doneCount: number; operation: string }[]; answers: string[] }> {
  const recording = new RecordingStorage();
  const moments: { objects: Objects; doneCount: number; operation: string }[] = [];
  const answers: string[] = [];
  let doneCount = 0;
  recording.recorded = ({ operation, objects }) => moments.push({ operation, objects, doneCount });
  const daybook = await openDaybook({ storage: recording, clock });
  answers.push(await answersOf(daybook));
  for (const act of acts) {
    await act(daybook);
    doneCount += 1;
    answers.push(await answersOf(daybook));
  }
  await daybook.close();
  return { moments, answers };
}

/** Broken off, an erasure has deleted the segment that names somebody, and nothing else. */
function isErasing(answer: string, before: string): boolean {
  return before.includes('["others","theirs"]') && answer === before.replace('["others","theirs"]', '["others"]');
}

test("A process that dies at any operation leaves records, requests and erasures as they were, or as they were to be.", async () => {
  const { moments, answers } = await live();
  // Two seals change no answer, and what was unlinked leaves the one before.
  expect(new Set(answers).size).toBe(acts.length + 1 - 3);
  expect(moments.some(({ operation }) => operation.startsWith("write identities/"))).toBe(true);
  for (const { objects, doneCount, operation } of moments.filter((_, at) => at % STRIDE === baseSeed % STRIDE)) {
    const storage = new RecordingStorage(objects);
    const daybook = await openDaybook({ storage, clock });
    const answer = await answersOf(daybook);
    // An act of two calls may be half done.
    const halfDone = doneCount === 7 || doneCount === 8 || isErasing(answer, answers.at(-2) ?? "");
    if (answer !== answers[doneCount] && answer !== answers[doneCount + 1] && !halfDone) expect.fail(`after ${operation}, ${doneCount} acts done: ${answer}`);
    await daybook.close();
    const again = await openDaybook({ storage, clock });
    expect(await answersOf(again)).toBe(answer);
    await again.close();
    if (answer === answers.at(-1)) expect(await storedText(storage)).not.toContain(SECRET);
  }
});
