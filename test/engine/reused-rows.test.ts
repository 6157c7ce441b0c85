import { memoryStorage, openDaybook, type EventInput, type ExportedEvent } from "daybook";
import { describe, expect, it } from "vitest";
import { FIELD_COUNT } from "../../src/core/schema/fields.js";

const createdAt = Date.UTC(2026, 0, 1);
const bare = { id: "bare", name: "view", createdAt };
const full = { id: "full", name: "purchase", createdAt: createdAt - 1, url: "/full", device: "phone", userId: "u", anonymousId: "a", project: "web", slug: "own", value: 3, currency: "USD", companyId: "c", notify: true, metadata: { plan: "pro" } };

/** What is stored of some batches, in order of time, and why the rest is not. */
async function stored(...batches: readonly (readonly EventInput[])[]): Promise<{ events: ExportedEvent[]; faults: string[] }> {
  await using daybook = await openDaybook({ storage: memoryStorage() });
  const faults: string[] = [];
  for (const batch of batches) faults.push(...(await daybook.ingest(batch)).rejected.map(({ message }) => message));
  const events: ExportedEvent[] = [];
  for await (const event of daybook.exportEvents()) events.push(event);
  return { events, faults };
}

describe("an event that is read where another was", () => {
  it("has none of the other's fields", async () => {
    const { events: alone } = await stored([bare]);
    const { events: behind } = await stored([full], [bare]);
    expect(behind).toHaveLength(2);
    expect(behind[1]).toEqual(alone[0]);
  });

  it("has none of the fields of those that were rejected around it", async () => {
    const good = Array.from({ length: 6 }, (_, at) => ({ ...bare, id: `good-${at}`, createdAt: createdAt + at }));
    const wrong = { ...full, os: {} } as unknown as EventInput;
    const [a, b, c, d, e, f] = good as [EventInput, EventInput, EventInput, EventInput, EventInput, EventInput];
    const { events, faults } = await stored([wrong, a, wrong, wrong, b, c, wrong, d], [e, wrong, f]);
    expect(faults).toHaveLength(5);
    expect(events).toEqual((await stored(good)).events);
  });
});

describe("two members for one field", () => {
  it.each([
    [{ userId: "x", user_id: "x" }, "x"],
    [{ user_id: "x", userId: "x" }, "x"],
    [{ userId: "", user_id: "x" }, "x"],
    [{ userId: null, user_id: "x" }, "x"],
    [{ userId: undefined, user_id: "x" }, "x"],
    [{ userId: 7, user_id: "7" }, "7"],
    [{ userId: "x", user_id: "y" }, "user_id: contradicts userId"],
    [{ user_id: "x", userId: "y" }, "userId: contradicts userId"],
    [{ userId: "x", user_id: "" }, "user_id: contradicts userId"],
  ])("%o: %s", async (members, expected) => {
    const { events, faults } = await stored([full], [{ ...bare, ...members } as EventInput]);
    expect(faults[0] ?? events[1]?.userId).toBe(expected);
  });
});

it("A bit of a number tells whether a field is set.", () => {
  expect(FIELD_COUNT).toBeLessThanOrEqual(31);
});
