import { expect, test } from "vitest";
import { openClickHouse } from "daybook/clickhouse";
import { layouts, newDatabase } from "./kit.js";

test.each(layouts)("an email that an alias gave away, written otherwise, names who has it now, %s", async (layout) => {
  const { options, drop } = await newDatabase(layout);
  const daybook = await openClickHouse(options);
  try {
    await daybook.ingest([{ name: "click", userId: "bob" }, { name: "click", userId: "ann@x.example" }]);
    await daybook.alias({ from: "Ann@X.example", to: "bob" });
    expect(await daybook.identityProfile({ email: "ann@x.example" })).toEqual(await daybook.identityProfile({ userId: "bob" }));
  } finally {
    await daybook.close();
    await drop();
  }
});
