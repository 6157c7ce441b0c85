import { afterEach, beforeEach, expect, it } from "vitest";
import { DaybookError, fixedClock, memoryStorage, openDaybook, type Daybook } from "../../src/index.js";
import type { DaybookClient } from "../../src/client/index.js";
import { NOW_MS } from "../http/kit.js";
import { clientOver } from "./kit.js";

let daybook: Daybook;
/** Hears the same without a client. */
let twin: Daybook;
let client: DaybookClient;
beforeEach(async () => {
  [daybook, twin] = [await filled(), await filled()];
  client = clientOver(daybook);
});
afterEach(async () => {
  await daybook.close();
  await twin.close();
});

async function filled(): Promise<Daybook> {
  const made = await openDaybook({ storage: memoryStorage(), clock: fixedClock(NOW_MS) });
  const times = ["2026-03-01T00:00:00Z", "2026-03-09T23:00:00Z", "2026-03-10T00:00:00Z"];
  for (const project of ["shop/ü", "site"]) await made.ingest(times.map((createdAt, at) => ({ id: `${project}${at}`, name: "visit", createdAt, project })));
  return made;
}

async function outcome(promise: Promise<unknown>): Promise<unknown> {
  return await promise.catch((error: unknown) => {
    if (!(error instanceof DaybookError)) throw error;
    return error.code;
  });
}

async function sameOn(act: (target: DaybookClient | Daybook) => Promise<unknown>): Promise<unknown> {
  const answer = await outcome(act(client));
  expect(answer).toEqual(await outcome(act(twin)));
  expect(await daybook.countEvents()).toBe(await twin.countEvents());
  return answer;
}

it("A client deletes, sets rules, previews and sweeps as the library does.", async () => {
  expect(await sameOn((target) => target.deleteEvents({ before: new Date("2026-03-02"), project: "site" }))).toMatchObject({ events: 1 });
  expect(await sameOn((target) => target.timeToLive.preview({ project: null, days: 1 }))).toMatchObject({ events: 1, projects: [{ keptFrom: "2026-03-09" }] });
  await sameOn((target) => target.timeToLive.preview());
  await sameOn((target) => target.timeToLive.set(null, { days: 1 }));
  await sameOn((target) => target.timeToLive.set("site", { days: 30 }));
  expect(await sameOn((target) => target.timeToLive.list())).toHaveLength(2);
  expect(await sameOn((target) => target.timeToLive.off("site"))).toBe(true);
  expect(await sameOn((target) => target.timeToLive.off("site"))).toBe(false);
  expect(await sameOn((target) => target.timeToLive.sweep())).toMatchObject({ events: 1 });
  expect(await sameOn((target) => target.deleteProject("shop/ü"))).toMatchObject({ events: 2 });
});

it("A client is refused what the library refuses.", async () => {
  expect(await sameOn((target) => target.deleteProject("nobody"))).toBe("project_not_found");
  expect(await sameOn((target) => target.deleteEvents({ before: "soon" }))).toBe("invalid_date");
  expect(await sameOn((target) => target.deleteEvents({ before: "2026-03-02", project: "nobody" }))).toBe("project_not_found");
  expect(await sameOn((target) => target.deleteEvents(null as never))).toBe("invalid_parameter");
  expect(await sameOn((target) => target.timeToLive.set("site", { days: 0 }))).toBe("invalid_parameter");
  expect(await sameOn((target) => target.timeToLive.set("", { days: 1 }))).toBe("invalid_parameter");
});
