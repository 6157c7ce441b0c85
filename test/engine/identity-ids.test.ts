import { memoryStorage, openDaybook, type Daybook } from "daybook";
import { expect, test } from "vitest";
import { identityIdOf } from "../../src/identity/identity-ids.js";

const countOf = (daybook: Daybook, operator: string, value: string) =>
  daybook.countEvents({ filterGroups: [{ filters: [{ fieldName: "identity_id", operator, value }] }] });

test("Events are found by the identity id of any of thousands of users, of users who come later, and of those whom others stand for no more.", async () => {
  await using daybook = await openDaybook({ storage: memoryStorage() });
  const count = 2_500;
  await daybook.ingest(Array.from({ length: count }, (_, at) => ({ name: "view", userId: `user ${at}` })));
  for (const at of [0, 1, 1_234, count - 1]) expect(await countOf(daybook, "=", identityIdOf("user", `user ${at}`)), `user ${at}`).toBe(1);
  expect(await countOf(daybook, "!=", identityIdOf("user", "user 7"))).toBe(count - 1);
  expect(await countOf(daybook, "in", `${identityIdOf("user", "user 7")},${identityIdOf("user", "user 8")},nobody`)).toBe(2);

  await daybook.ingest([{ name: "view", anonymousId: "device" }, { name: "view", userId: "late" }, { name: "view" }]);
  expect(await countOf(daybook, "=", identityIdOf("user", "late"))).toBe(1);
  expect(await countOf(daybook, "=", identityIdOf("anonymous", "device"))).toBe(1);
  expect(await countOf(daybook, "=", identityIdOf("user", "device"))).toBe(0);
  expect(await countOf(daybook, "=", "")).toBe(1);
  expect(await countOf(daybook, "!=", "")).toBe(count + 2);

  await daybook.identify({ userId: "late", anonymousId: "device" });
  expect(await countOf(daybook, "=", identityIdOf("user", "late"))).toBe(2);
  expect(await countOf(daybook, "=", identityIdOf("anonymous", "device"))).toBe(0);
});

test("An identity id is found by its whole text alone.", async () => {
  await using daybook = await openDaybook({ storage: memoryStorage() });
  await daybook.ingest([{ name: "view", userId: "ann" }]);
  const id = identityIdOf("user", "ann");
  for (const wrong of [id.toUpperCase(), id.slice(0, -1), `${id}0`, `${id.slice(0, -1)}${id.endsWith("0") ? "1" : "0"}`, id.slice(4)])
    expect(await countOf(daybook, "=", wrong), wrong).toBe(0);
  expect(await countOf(daybook, "contains", id.slice(4, 12))).toBe(1);
});
