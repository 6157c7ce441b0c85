import type { AddressInfo } from "node:net";
import { frontOf } from "./front.js";
import { ListeningServers } from "./listening-servers.js";

/** Two servers of ClickHouse, each in a process of its own, as the shards of a cluster, until it is told to end. Prints where it listens. */
const servers = await ListeningServers.start(2);
const front = frontOf(servers);
front.listen(0, "127.0.0.1", () => console.log(`listening on http://127.0.0.1:${(front.address() as AddressInfo).port}`));
process.on("SIGTERM", () => {
  front.closeAllConnections();
  void servers.end().then(() => process.exit(0));
});
