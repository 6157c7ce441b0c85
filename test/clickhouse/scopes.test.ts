import { fixedClock } from "daybook";
import { openClickHouse } from "daybook/clickhouse";
import { expect, test } from "vitest";
import { closeAfter, newDatabase, queryLayouts } from "./kit.js";

test.each(queryLayouts)("a scope, %s", async (layout) => {
  const { options, drop } = await newDatabase(layout, { clock: fixedClock(Date.UTC(2026, 0, 3)) });
  const daybook = await openClickHouse(options);
  closeAfter(daybook, drop);
  const at = (minute: number) => Date.UTC(2026, 0, 1, 0, minute);
  await daybook.ingest([
    { name: "view", userId: "ann", anonymousId: "dev", createdAt: at(0), companyId: "acme", metadata: { plan: "pro" } },
    { name: "view", anonymousId: "dev", createdAt: at(1), metadata: { plan: "free" } },
    { name: "view", userId: "bob", createdAt: at(2), companyId: "globex", metadata: { plan: "pro" }, project: "shop" },
  ]);
  const acme = daybook.scoped({ filterGroups: [{ filters: [{ fieldName: "company_id", operator: "=", value: "acme" }] }], fields: ["metadata.plan", "name"] });
  expect(await acme.countEvents()).toBe(2);
  expect(await acme.countUniqueUsers()).toBe(1);
  expect(await acme.aggregate({ metadataField: "plan" } as never)).toEqual(0);
}, 60_000);
