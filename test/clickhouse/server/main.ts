import type { AddressInfo } from "node:net";
import { Engine, type Bounds } from "./engine.js";
import { frontOf } from "./front.js";

/**
 * ClickHouse's HTTP interface over ClickHouse in this process, until it is told to end. Prints where it listens. Its arguments:
 * where tables stay, its port, and its bounds, as JSON.
 */
const [, , directory = null, port = "0", bounds = "{}"] = process.argv;
const engine = new Engine(directory, JSON.parse(bounds) as Bounds);
const server = frontOf({
  run: async ({ statement, rows, terms }) => ({ status: 200, headers: { "x-clickhouse-summary": "{}" }, text: await engine.run(statement, rows, terms) }),
  pathsWith: (text) => engine.pathsWith(text),
});
server.listen(Number(port), "127.0.0.1", () => console.log(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}`));
process.on("SIGTERM", () => {
  server.closeAllConnections();
  engine.close();
  process.exit(0);
});
