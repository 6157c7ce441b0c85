import { afterAll, beforeAll, describe, it } from "vitest";
import { storageSuite } from "daybook/testing";
import { Profile, type Tab } from "./opfs/profile.js";
import type { Lab } from "./opfs/worker.js";

declare const lab: Lab;

let profile: Profile;
let tab: Tab;
beforeAll(async () => {
  profile = await Profile.open();
  tab = await profile.tab();
});
afterAll(() => profile.close());

describe("opfs storage in a worker of Chromium", () => {
  it.each(storageSuite.map(({ name }, at) => [name, at] as const))("%s", async (_, at) => {
    await tab.worker.evaluate((which) => lab.storageSuite[which]?.run(async () => lab.opfsStorage(`suite-${which}`)), at);
  });
});
