import { openDaybook } from "daybook";
import { fileStorage } from "daybook/node";
import { clock } from "../clock.js";
import { windowOf } from "../measure.js";
import { queryNamed } from "../queries.js";
import type { ColdRun } from "./children.js";

/** Opens a store and runs one query. Its arguments: the store, the name of the query. */
const [path = "", name = ""] = process.argv.slice(2);
const query = queryNamed(name);

const startedMs = performance.now();
const daybook = await openDaybook({ storage: fileStorage(path), clock, readOnly: true });
const openedMs = performance.now();
const answer = await query.run(daybook, windowOf(0));
const answeredMs = performance.now();
const run: ColdRun = { openMs: openedMs - startedMs, firstMs: answeredMs - openedMs, answer: JSON.stringify(query.canonical(answer)) };
process.stdout.write(JSON.stringify(run));
await daybook.close();
