import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { batchBody } from "../load/batch.js";

const body = JSON.stringify({ title: "expected at most 32 requests of one token at a time", status: 429, code: "rate_limited" });
let unitCount = 0;

/** What a server does with a batch first. */
function work(): void {
  unitCount += (JSON.parse(batchBody) as unknown[]).length > 0 ? 1 : 0;
  setImmediate(work);
}

/** `node:http` and nothing else: refuses whatever comes, works all the time, and tells how many units of work it has done. */
const server = createServer((incoming, outgoing) => {
  const isCount = incoming.method === "GET";
  const text = isCount ? String(unitCount) : body;
  outgoing.writeHead(isCount ? 200 : 429, ["content-type", "application/json", "retry-after", "1", "content-length", String(text.length)]);
  outgoing.end(text);
});
server.listen(0, "127.0.0.1", () => {
  process.stdout.write(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
  work();
});
process.once("SIGTERM", () => process.exit(0));
