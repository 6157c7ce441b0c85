import { openDaybook } from "daybook";
import { fileStorage } from "daybook/node";
import { clock } from "./clock.js";
import { windowOf } from "./measure.js";
import { queryNamed } from "./queries.js";

/** Opens a store in a process of its own and asks one query, once. Its arguments: the store, the name of the query. */
const [store = "", name = ""] = process.argv.slice(2);
const query = queryNamed(name);

const openStartedMs = performance.now();
const daybook = await openDaybook({ storage: fileStorage(store), clock, readOnly: true });
const startedMs = performance.now();
await query.run(daybook, windowOf(0));
const firstMs = performance.now() - startedMs;
process.stdout.write(JSON.stringify({ openMs: startedMs - openStartedMs, firstMs }));
await daybook.close();
