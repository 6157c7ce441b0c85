import { type Daybook, openDaybook, type ReportName } from "daybook";
import { fileStorage } from "daybook/node";
import { MS_PER_DAY } from "../../src/core/base/time.js";
import { SEQUENCE_COLUMN, TIME_COLUMN } from "../../src/core/schema/fields.js";
import type { Rows } from "../../src/storage/segment/rows.js";
import { storedEvents } from "../bounds/stored-events.js";
import { clock } from "../clock.js";
import { windowOf } from "../measure.js";
import { queryNamed } from "../queries.js";

/** The plainest loop over the columns that a query reads in a new process: one addition a number. Its arguments: the store, the name of the query. */
const [path = "", name = ""] = process.argv.slice(2);

/** What the first call of a query would read. */
async function explained() {
  const daybook = await openDaybook({ storage: fileStorage(path), clock, readOnly: true });
  const calls: [ReportName, object][] = [];
  const noting = new Proxy(daybook, { get: (_, method) => (input: object) => (calls.push([method as ReportName, input]), Promise.reject(new Error("only explained"))) });
  await queryNamed(name).run(noting as Daybook, windowOf(0)).catch(() => undefined);
  const [first] = calls;
  if (first === undefined) throw new Error(`${name} calls no query`);
  const explanation = await daybook.explain(...first);
  await daybook.close();
  return explanation;
}

function numbersOf(rows: Rows, column: string): Iterable<number> & ArrayLike<number> {
  if (column === TIME_COLUMN) return rows.times();
  return column === SEQUENCE_COLUMN ? rows.sequences() : rows.column(column).codes;
}

const { columns, segments } = await explained();
const days = new Set(segments.filter(({ access }) => access !== "pruned").map(({ day }) => Date.parse(day) / MS_PER_DAY));
const { rows } = await storedEvents(path);
const wanted = rows.filter(({ day }) => days.has(day));

const startedMs = performance.now();
let sum = 0;
for (const part of wanted) {
  await part.load(columns);
  for (const column of columns) {
    const numbers = numbersOf(part, column);
    for (let at = 0; at < numbers.length; at += 1) sum += numbers[at] ?? 0;
  }
}
const loopMs = performance.now() - startedMs;
// Queries that read tables of all time name no columns.
process.stdout.write(JSON.stringify(columns.length === 0 ? null : { loopMs, sum }));
process.exit();
