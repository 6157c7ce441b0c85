import { existsSync } from "node:fs";
import { join } from "node:path";
import { cdnowPurchase } from "../cdnow/purchases.js";
import { Invoices } from "../online-retail/invoices.js";
import { packageRoot, publicAddress } from "../../src/cli/command.js";
import { readClf } from "../../src/cli/read/clf.js";
import { readCsvEvents, readCsvMap } from "../../src/cli/read/csv.js";
import { readBytes, readLines } from "../../src/cli/read/lines.js";
import { rowId, type ImportRow, type ImportRows } from "../../src/cli/read/row.js";

/** One set of real data and the organization it fills. */
export interface DataSet {
  readonly organization: string;
  /** Describes it, for a heading. */
  readonly title: string;
  readonly currency: string;
  /** Query string of a dashboard view that suits it. */
  readonly view: string;
  /** Number of its events: if as many are stored, it has been imported. */
  readonly eventCount: number;
  /** Its file in the repository. The package contains all but the largest. */
  readonly file: string;
  /** Reads its events. @throws Error if the file is missing or damaged */
  rows(): ImportRows;
}

const ACCESS_LOG = "examples/data/apache_logs_semicomplete_2015.log.gz";
const CDNOW = "examples/data/CDNOW_master.txt.gz";
const CDNOW_SAMPLE = "examples/data/CDNOW_sample.txt";
const ONLINE_RETAIL = "examples/data/online_retail_uk_2010-12_2011-12.csv.gz";

export const DATA_SETS: readonly DataSet[] = [
  {
    organization: "access-log",
    view: "period=all&zone=UTC",
    title: "access log of a real site, 17 to 20 May 2015",
    currency: "USD",
    eventCount: 10_000,
    file: ACCESS_LOG,
    rows: () => readClf(readBytes(example(ACCESS_LOG)), "access-log"),
  },
  {
    organization: "cdnow",
    view: "view=retention&period=all&zone=UTC&retention.unit=month",
    title: "purchases at a CD shop, January 1997 to June 1998",
    currency: "USD",
    eventCount: 69_659,
    file: CDNOW,
    rows: () => cdnowRows(CDNOW, "cdnow"),
  },
  {
    organization: "cdnow-sample",
    view: "view=retention&period=all&zone=UTC&retention.unit=month",
    title: "every tenth customer of the same shop",
    currency: "USD",
    eventCount: 6_919,
    file: CDNOW_SAMPLE,
    rows: () => cdnowRows(CDNOW_SAMPLE, "cdnow-sample"),
  },
  {
    organization: "online-retail",
    view: "view=revenue&period=all&zone=UTC",
    title: "order lines and invoices of a British gift shop, December 2010 to December 2011",
    currency: "GBP",
    eventCount: 541_909 + 25_900,
    file: ONLINE_RETAIL,
    rows: onlineRetailRows,
  },
];

/** The data sets of this installation. @throws Error if there are none */
export function presentDataSets(root = packageRoot()): DataSet[] {
  const present = DATA_SETS.filter(({ file }) => existsSync(join(root, file)));
  if (present.length > 0) return present;
  throw new Error(`${join(root, "examples/data")}: none of the data sets is there; find them at ${publicAddress("examples/data", root)}`);
}

/** The path of a file of the examples. @throws Error if this installation does not contain it */
function example(path: string): string {
  const file = join(packageRoot(), path);
  if (existsSync(file)) return file;
  throw new Error(`${file} is missing: find it at ${publicAddress(path)}`);
}

async function* cdnowRows(path: string, set: string): AsyncGenerator<readonly ImportRow[]> {
  for await (const lines of readLines(readBytes(example(path)))) {
    const rows: ImportRow[] = [];
    for (const { number, text, fault } of lines) {
      const event = cdnowPurchase(text);
      if (fault !== null) rows.push({ line: number, reason: fault });
      else if (event !== null) rows.push({ line: number, event: { id: rowId(set, number, text), ...event } });
      // Skip the header in line 1 of the master file, and blank lines.
      else if (number > 1 && text.trim() !== "") rows.push({ line: number, reason: "expected customer, date, CDs and dollars" });
    }
    yield rows;
  }
}

/** The order lines, then the invoices. */
async function* onlineRetailRows(): AsyncGenerator<readonly ImportRow[]> {
  const map = await readCsvMap(example("examples/online-retail/lines.map.json"));
  const bytes = readBytes(example(ONLINE_RETAIL));
  const invoices = new Invoices();
  let lastLine = 0;
  for await (const rows of readCsvEvents(bytes, "online-retail", map)) {
    for (const row of rows) {
      if ("event" in row) invoices.add(row.event);
      lastLine = row.line;
    }
    yield rows;
  }
  yield Array.from(invoices.events(), (event) => ({ line: lastLine, event }));
}
