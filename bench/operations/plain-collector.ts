import { randomUUID } from "node:crypto";
import { fdatasync, openSync, write } from "node:fs";
import { createServer } from "node:http";
import type { ServerResponse } from "node:http";

/**
 * The least that any collector of beacons does on node's HTTP server: reads a body, parses it, writes a line for each event with a new id, and
 * answers once a sync has made it durable, one sync for all that wait. It knows no keys, origins, visitors or bounds, and cannot answer a query.
 */
const file = openSync(process.argv[2] ?? "", "a");
let lines: string[] = [];
let waiting: ServerResponse[] = [];
let isWriting = false;

function commit(): void {
  if (isWriting || waiting.length === 0) return;
  isWriting = true;
  const [text, answered] = [lines.join(""), waiting];
  [lines, waiting] = [[], []];
  write(file, text, (failed) => {
    if (failed) throw failed;
    fdatasync(file, (unsynced) => {
      if (unsynced) throw unsynced;
      for (const response of answered) response.writeHead(204).end();
      isWriting = false;
      commit();
    });
  });
}

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const { events } = JSON.parse(Buffer.concat(chunks).toString()) as { readonly events: readonly object[] };
    for (const event of events) lines.push(`${JSON.stringify({ id: randomUUID(), at: Date.now(), ...event })}\n`);
    waiting.push(response);
    commit();
  });
});
server.listen(0, "127.0.0.1", () => console.log(`listening on http://127.0.0.1:${(server.address() as { readonly port: number }).port}`));
process.once("SIGTERM", () => process.exit(0));
