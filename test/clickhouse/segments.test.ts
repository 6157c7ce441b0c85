import { fixedClock, type Segment } from "daybook";
import { openClickHouse, type ClickHouseDaybook } from "daybook/clickhouse";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { nowMs } from "../support/random/now.js";
import { layouts, newDatabase } from "./kit.js";

const did = (eventName: string): Segment => ({ groups: [{ conditions: [{ type: "did", eventName }] }] });
const ofSegment = (value: string) => ({ filterGroups: [{ filters: [{ fieldName: "identity_id", operator: "in_segment", value } as const] }] });

describe.each(layouts)("saved segments on ClickHouse, %s", (layout) => {
  let daybook: ClickHouseDaybook;
  let other: ClickHouseDaybook;
  const close: (() => Promise<void>)[] = [];
  beforeAll(async () => {
    const { options, drop } = await newDatabase(layout, { clock: fixedClock(nowMs) });
    [daybook, other] = [await openClickHouse(options), await openClickHouse(options)];
    close.push(drop, () => daybook.close(), () => other.close());
    await daybook.ingest([{ name: "a", userId: "ann" }, { name: "b", userId: "ann" }, { name: "b", userId: "bob" }]);
  });
  afterAll(async () => {
    for (const each of close.reverse()) await each();
  });

  test("are there for every process that asks, as they were put last, until they are deleted", async () => {
    await expect(daybook.countEvents(ofSegment("own"))).rejects.toMatchObject({ code: "invalid_filter_value" });
    expect(await daybook.segments.put("own", did("a"))).toEqual({ name: "own", ...did("a") });
    expect(await other.countEvents(ofSegment("own"))).toBe(2);
    await other.segments.put("more", did("none"));
    await other.segments.put("own", did("b"));
    expect(await daybook.countEvents(ofSegment("own"))).toBe(3);
    expect(await daybook.segments.list()).toEqual([{ name: "more", ...did("none") }, { name: "own", ...did("b") }]);
    await expect(daybook.countEvents({ ...ofSegment("own"), segments: { own: did("a") } })).rejects.toMatchObject({ code: "invalid_parameter" });
    expect(await daybook.segments.delete("own")).toBe(true);
    expect(await other.segments.delete("own")).toBe(false);
    expect(await other.segments.list()).toEqual([{ name: "more", ...did("none") }]);
    await expect(other.countEvents(ofSegment("own"))).rejects.toMatchObject({ code: "invalid_filter_value" });
  });

  test("are checked before they are kept", async () => {
    await expect(daybook.segments.put("a b", did("a"))).rejects.toMatchObject({ code: "invalid_parameter" });
    await expect(daybook.segments.put("none", { groups: [] })).rejects.toMatchObject({ code: "invalid_parameter" });
    expect((await daybook.segments.list()).map(({ name }) => name)).not.toContain("none");
  });
});
