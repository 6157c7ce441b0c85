import { expect, test } from "vitest";
import { openDaybook } from "daybook";
import { storeOf } from "../../src/engine/open-daybook.js";
import { RecordingStorage } from "./recording-storage.js";

test.each(["records", "rows"])("What is durable and finds no room in memory, %s, makes a store read-only: opened again it has all of it, once.", async (what) => {
  const storage = new RecordingStorage();
  const daybook = await openDaybook({ storage });
  await daybook.ingest([{ name: "first", userId: "ann" }]);
  const store = storeOf(daybook);
  if (store === null) throw new Error("expected the store of an embedded Daybook");
  const fail = () => {
    throw new RangeError("Array buffer allocation failed");
  };
  if (what === "rows") store.catalog.append = fail;
  else store.resolver.addRecord = fail;
  const commit = what === "rows" ? daybook.ingest([{ name: "second", userId: "ben" }]) : daybook.identify({ userId: "ben", email: "ben@example.com" });
  await expect(commit).rejects.toThrow();
  await expect(daybook.ingest([{ name: "third" }])).rejects.toMatchObject({ code: "read_only" });
  await store.abandon();
  await using again = await openDaybook({ storage });
  expect(await again.countEvents()).toBe(what === "rows" ? 2 : 1);
  await expect(again.identityProfile(what === "rows" ? { userId: "ben" } : { email: "ben@example.com" })).resolves.toMatchObject({ events: what === "rows" ? 1 : 0 });
  expect(await again.ingest([{ name: "third" }])).toMatchObject({ accepted: 1 });
});
