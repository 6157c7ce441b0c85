import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

const WORK_COUNT = 2e6;
const body = JSON.stringify({ title: "expected at most 32 requests of one token at a time", status: 429, code: "rate_limited" });
let unitCount = 0;

/** Some milliseconds, as a batch takes. */
function work(): void {
  let sum = 0;
  for (let at = 0; at < WORK_COUNT; at += 1) sum = Math.imul(sum ^ at, 16_777_619);
  unitCount += sum === 0.5 ? 0 : 1;
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
