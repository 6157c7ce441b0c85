// Turns the order lines of an online shop into events, and its lines into invoices:
//   npx tsx examples/online-retail.ts > online-retail.ndjson
//   npx daybook import --data ./data --organization online-retail online-retail.ndjson
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { readCsvEvents } from "../src/cli/read/csv-events.js";
import { readCsvMap } from "../src/cli/read/csv-map.js";
import { readBytes } from "../src/cli/read/gzip.js";
import { Invoices } from "./online-retail/invoices.js";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const file = process.argv[2] ?? here("./data/online_retail_uk_2010-12_2011-12.csv.gz");
const map = await readCsvMap(here("./online-retail/lines.map.json"));
const invoices = new Invoices();

for await (const rows of readCsvEvents(readBytes(file), "online-retail", map)) {
  let text = "";
  for (const row of rows) {
    if ("reason" in row) throw new Error(`${file}, line ${row.line}: ${row.reason}`);
    invoices.add(row.event);
    text += `${JSON.stringify(row.event)}\n`;
  }
  if (!process.stdout.write(text)) await once(process.stdout, "drain");
}
for (const invoice of invoices.events()) process.stdout.write(`${JSON.stringify(invoice)}\n`);
