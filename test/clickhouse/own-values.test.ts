import { openClickHouse } from "daybook/clickhouse";
import { expect, onTestFinished, test, vi } from "vitest";
import { Connection } from "../../src/clickhouse/connection/connection.js";
import { useLimits } from "../limits.js";
import { newDatabase } from "./kit.js";

useLimits({ ownValueCount: 4 });

test.each(["createdAt", "id"] as const)("of more values of %s than may be answered no more come than tell so", async (field) => {
  const { options, drop } = await newDatabase("one server");
  onTestFinished(drop);
  await using daybook = await openClickHouse(options);
  const event = (at: number) => ({ id: `e${at}`, name: "seen", createdAt: Date.UTC(2026, 0, 1 + at), project: at < 4 ? "few" : "many" });
  await daybook.ingest(Array.from({ length: 20 }, (_, at) => event(at)));
  expect(await daybook.aggregate({ field, project: "few" })).toHaveLength(4);
  const rows = vi.spyOn(Connection.prototype, "rows");
  onTestFinished(() => rows.mockRestore());
  await expect(daybook.aggregate({ field })).rejects.toMatchObject({ code: "too_many_values" });
  const counts = await Promise.all(rows.mock.results.map(async ({ value }) => ((await value) as unknown[]).length));
  expect(Math.max(...counts)).toBeLessThanOrEqual(5);
});
