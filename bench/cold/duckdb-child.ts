import { windowOf } from "../measure.js";
import { openDuckdbFile } from "../peers/duckdb.js";
import { canonicalColumns } from "../peers/peer.js";
import { queryNamed } from "../queries.js";
import type { ColdRun } from "./children.js";

/** Opens a file of DuckDB and runs one query. Its arguments: the file, the name of the query. */
const [path = "", name = ""] = process.argv.slice(2);
const query = queryNamed(name);

const startedMs = performance.now();
const { peer, close } = await openDuckdbFile(path);
const openedMs = performance.now();
const columns = await peer.run(query, windowOf(0));
const answeredMs = performance.now();
const run: ColdRun = { openMs: openedMs - startedMs, firstMs: answeredMs - openedMs, answer: JSON.stringify(canonicalColumns(columns, query)) };
process.stdout.write(JSON.stringify(run));
close();
