import { beforeAll, describe, expect, test, vi } from "vitest";
import type { Daybook } from "daybook";
import { Segment } from "../../src/storage/segment/segment.js";
import { DAY_COUNT, dayText, events, ninetyDays, openMeasured } from "./ninety-days.js";

const FROM = 30;
const TO = 59;
const [userId = ""] = events.flatMap((event) => (typeof event.userId === "string" ? [event.userId] : []));

type Window = { readonly startDate: string; readonly endDate: string };
const filterGroups = [{ filters: [{ fieldName: "device", operator: "=", value: "mobile" } as const] }];

const queries: Readonly<Record<string, (daybook: Daybook, window: Window) => Promise<unknown>>> = {
  countEvents: (daybook, window) => daybook.countEvents({ ...window, filterGroups }),
  countEventsPerDay: (daybook, window) => daybook.countEventsPerDay({ ...window, filterGroups }),
  countEventsRunningTotalPerDay: (daybook, window) => daybook.countEventsRunningTotalPerDay({ ...window, filterGroups }),
  countUniqueUsers: (daybook, window) => daybook.countUniqueUsers({ ...window, filterGroups }),
  countUniqueUsersPerDay: (daybook, window) => daybook.countUniqueUsersPerDay({ ...window, filterGroups }),
  aggregate: (daybook, window) => daybook.aggregate({ ...window, field: "url", filterGroups }),
  searchEvents: (daybook, window) => daybook.searchEvents({ ...window, filterGroups }),
  identitySessions: (daybook, window) => daybook.identitySessions({ ...window, userId }),
  identityProfile: (daybook, window) => daybook.identityProfile({ ...window, userId }),
  identityReferrers: (daybook, window) => daybook.identityReferrers({ ...window, userId }),
  identityDeviceGeo: (daybook, window) => daybook.identityDeviceGeo({ ...window, userId }),
  revenueByAttribution: (daybook, window) => daybook.revenueByAttribution({ ...window, project: "web" }),
};

describe("A query about thirty days, once others were asked twice about later ones, pins no segment of other days:", () => {
  let objects: Awaited<ReturnType<typeof ninetyDays>>;
  let firstDay = 0;
  beforeAll(async () => {
    objects = await ninetyDays();
    firstDay = Date.parse(dayText(0)) / 86_400_000;
  });

  test.each(Object.entries(queries))("%s", async (name, ask) => {
    const { daybook } = await openMeasured(objects);
    await using _open = daybook;
    for (let query = 0; query < 2; query += 1) await ask(daybook, { startDate: dayText(TO + 1), endDate: dayText(DAY_COUNT - 1) });
    const pin = vi.spyOn(Segment.prototype, "pin").mockClear();
    await ask(daybook, { startDate: dayText(FROM), endDate: dayText(TO) });
    const days = new Set(pin.mock.contexts.map((segment) => (segment as Segment).day - firstDay));
    // Its tables have all that it asks for.
    expect(days.size > 0).toBe(name !== "revenueByAttribution");
    expect([...days].filter((day) => day < FROM || day > TO)).toEqual([]);
  });
});
