import { fixedClock, openDaybook } from "daybook";
import { expect, test } from "vitest";
import { withObject } from "./objects.js";
import { RecordingStorage } from "./recording-storage.js";

const clock = fixedClock(1_000_000);

test("A store that holds something is not given new keys in the place of lost ones: erased persons would be forgotten.", async () => {
  const storage = new RecordingStorage();
  const daybook = await openDaybook({ storage, clock });
  await daybook.privacyRequests.create({ type: "access", subject: { userId: "nobody" } });
  await daybook.close();
  const withRequest = new RecordingStorage(withObject(storage.objects, "keys.json", null));
  await expect(openDaybook({ storage: withRequest, clock })).rejects.toMatchObject({ code: "corruption" });
  expect(withRequest.objects.has("keys.json")).toBe(false);
});

test("A store whose first opening ended before it had keys gets them at the next.", async () => {
  const storage = new RecordingStorage();
  await (await openDaybook({ storage, clock })).close();
  const early = storage.states.findLast(({ objects }) => objects.has("MANIFEST") && !objects.has("keys.json"));
  const again = new RecordingStorage(early?.objects);
  expect(again.objects.has("MANIFEST")).toBe(true);
  await (await openDaybook({ storage: again, clock })).close();
  expect(again.objects.has("keys.json")).toBe(true);
});
