// Turns the order lines of an online shop into events, groups them into invoices, and prints a summary:
//   npx tsx examples/online-retail.ts [FILE.csv[.gz]]
// With --out, writes the events to a file of 151 MB, which "import" reads:
//   npx tsx examples/online-retail.ts --out online-retail.ndjson
//   npx daybook import --data ./data --organization online-retail online-retail.ndjson
import { createWriteStream } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import type { EventInput } from "daybook";
import { readCsvEvents, readCsvMap } from "../src/cli/read/csv.js";
import { readBytes } from "../src/cli/read/lines.js";
import { Invoices } from "./online-retail/invoices.js";
import { summaryOf } from "./online-retail/summary.js";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const { values, positionals } = parseArgs({ options: { out: { type: "string" } }, allowPositionals: true });
const file = positionals[0] ?? here("./data/online_retail_uk_2010-12_2011-12.csv.gz");

/** The order lines, a few hundred at a time, then the invoices. */
async function* events(): AsyncGenerator<readonly EventInput[]> {
  const invoices = new Invoices();
  for await (const rows of readCsvEvents(readBytes(file), "online-retail", await readCsvMap(here("./online-retail/lines.map.json")))) {
    yield rows.map((row) => {
      if ("reason" in row) throw new Error(`${file}, line ${row.line}: ${row.reason}`);
      invoices.add(row.event);
      return row.event;
    });
  }
  yield [...invoices.events()];
}

async function* lines(): AsyncGenerator<string> {
  for await (const block of events()) yield block.map((event) => `${JSON.stringify(event)}\n`).join("");
}

if (values.out === undefined) console.log(await summaryOf(events()));
else await pipeline(Readable.from(lines()), createWriteStream(values.out));
