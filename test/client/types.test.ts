import { expect, expectTypeOf, it } from "vitest";
import { memoryStorage, openDaybook } from "daybook";
import type { Daybook } from "daybook";
import type { DaybookClient } from "daybook/client";
import { clientOver } from "./kit.js";

/** Written against a Daybook, with no thought of where it is. */
async function report(daybook: Pick<Daybook, "countEvents" | "aggregate" | "searchEvents" | "ingest" | "identify" | "privacyRequests" | "exportEvents">): Promise<unknown> {
  await daybook.ingest([{ id: "1", name: "a", browser: "Firefox", createdAt: "2026-03-01T00:00:00Z" }]);
  const { events } = await daybook.searchEvents({ limit: 1 });
  return [await daybook.countEvents({ eventName: "a" }), await daybook.aggregate({ field: "browser" }), events, await daybook.privacyRequests.list()];
}

it("What is written against the queries of a Daybook takes a client too.", async () => {
  const daybook = await openDaybook({ storage: memoryStorage() });
  expect(await report(clientOver(daybook))).toEqual(await report(daybook));
  await daybook.close();
});

it("A client has all of a Daybook but what only its own process has.", () => {
  type Missing = Exclude<keyof Daybook, keyof DaybookClient>;
  expectTypeOf<Missing>().toEqualTypeOf<"exportArrow" | "exportParquet" | "recordBatches" | "backup" | "deleteEventsOfKey" | "verifyScopeToken" | "rotateSigningKey" | "changes" | "scoped" | "seal" | "currency">();
  type Same = Exclude<keyof DaybookClient, "projects" | "health">;
  expectTypeOf<Daybook>().toExtend<Pick<DaybookClient, Same>>();
  expectTypeOf<DaybookClient>().toExtend<Pick<Daybook, Same>>();
  expectTypeOf<ReturnType<DaybookClient["projects"]>>().toEqualTypeOf<Promise<readonly string[]>>();
});
