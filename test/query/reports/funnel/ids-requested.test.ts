import { fixedClock, memoryStorage, openDaybook, type FunnelInput } from "daybook";
import { expect, test, vi } from "vitest";
import { Segment } from "../../../../src/storage/segment/segment.js";

const NOW_MS = Date.UTC(2026, 0, 31);
const steps = (...names: readonly string[]): FunnelInput["steps"] => names.map((eventName) => ({ eventName }));

/** How often the sequences of sealed rows are read for a funnel. */
async function sequencesRead(input: FunnelInput): Promise<number> {
  await using daybook = await openDaybook({ storage: memoryStorage(), clock: fixedClock(NOW_MS) });
  await daybook.ingest(["view", "buy", "view", "pay"].map((name, at) => ({ name, userId: "ann", createdAt: NOW_MS - 10 + at, url: `/${at}` })));
  await daybook.seal();
  const sequences = vi.spyOn(Segment.prototype, "sequences");
  try {
    await daybook.funnel(input);
    return sequences.mock.calls.length;
  } finally {
    sequences.mockRestore();
  }
}

test("A funnel asks for ids only where these may decide: where one event can match two steps, and under which value somebody stands.", async () => {
  expect(await sequencesRead({ steps: steps("view", "buy", "pay") })).toBe(0);
  expect(await sequencesRead({ steps: steps("view", "buy", "view") })).toBeGreaterThan(0);
  expect(await sequencesRead({ steps: [{ eventName: "view" }, { filterGroups: [{ filters: [{ fieldName: "url", operator: "==", value: "/1" }] }] }] })).toBeGreaterThan(0);
  expect(await sequencesRead({ steps: steps("view", "buy"), breakdown: { fields: ["url"] } })).toBeGreaterThan(0);
  expect(await sequencesRead({ steps: steps("view", "buy", "view"), order: "any" })).toBe(0);
});
