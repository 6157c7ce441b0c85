import { memoryStorage, openDaybook } from "daybook";
import { expect, test } from "vitest";

const good = { id: "good", name: "view", createdAt: new Date(5) };

/** Events that run code of their own when they are read, or lie about themselves. */
const hostile: readonly [what: string, event: object, message: RegExp][] = [
  ["a getter that throws", { name: "n", get url() { throw new Error("boom"); } }, /reading the event failed: "boom"/],
  ["a proxy that throws", new Proxy({}, { ownKeys: () => { throw new Error("no keys"); } }), /reading the event failed: "no keys"/],
  ["a date that is none", { name: "n", createdAt: new Proxy(new Date(0), {}) }, /reading the event failed/],
  ["a toJSON of an array that answers undefined", { name: "n", metadata: { a: Object.assign([1], { toJSON: () => undefined }) } }, /metadata\.a: .*toJSON/],
  ["a toJSON of a date that answers undefined", { name: "n", metadata: { d: Object.assign(new Date(0), { toJSON: () => undefined }) } }, /metadata\.d: .*toJSON/],
  ["metadata that holds itself", { name: "n", metadata: cyclic() }, /at most 8 levels/],
  ["a key that grows six times as JSON", { name: "n", metadata: { ["\u0001".repeat(10_000)]: 1 } }, /at most 32768 bytes/],
];

function cyclic(): object {
  const metadata: Record<string, unknown> = {};
  metadata["self"] = metadata;
  return metadata;
}

test.each(hostile)("An event with %s is rejected, and neither its batch nor one beside it suffers.", async (_what, event, message) => {
  await using daybook = await openDaybook({ storage: memoryStorage() });
  const beside = daybook.ingest([{ ...good, id: "beside" }]);
  const { accepted, rejected } = await daybook.ingest([event as typeof good, good]);
  expect(accepted).toBe(1);
  expect(rejected).toEqual([{ index: 0, code: "invalid_event", message: expect.stringMatching(message) as unknown }]);
  expect(await beside).toMatchObject({ accepted: 1 });
  expect(await daybook.countEvents()).toBe(2);
});

test.each([5, "", {}, true])("A project of %j is refused before anything is written.", async (project) => {
  await using daybook = await openDaybook({ storage: memoryStorage() });
  const beside = daybook.ingest([good]);
  await expect(daybook.ingest([good], { project: project as string })).rejects.toMatchObject({
    code: "invalid_parameter",
    details: { param: "project" },
  });
  expect(await beside).toMatchObject({ accepted: 1 });
});
