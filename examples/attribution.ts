// Attribution over a real access log: which sources brought the readers of articles.
import { memoryStorage, openDaybook } from "daybook";
import { readClf } from "../src/cli/read/clf.js";
import { readBytes } from "../src/cli/read/lines.js";
import { withReadings } from "./access-log/readers.js";

const daybook = await openDaybook({ storage: memoryStorage() });
for await (const rows of readClf(readBytes("examples/data/apache_logs_semicomplete_2015.log.gz"), "access-log"))
  await daybook.ingest(rows.flatMap((row) => ("event" in row ? [withReadings(row.event)] : [])));
for (const model of ["first_touch", "last_touch"] as const) {
  const { rows } = await daybook.revenueByAttribution({ project: "default", model, startDate: "2015-05-01", limit: 5 });
  console.log(model);
  for (const { dimension, orders } of rows) console.log(`  ${dimension}: ${orders} readings`);
}
await daybook.close();
