// Many processes, one store: the primary has it and answers on the loopback; the workers serve people, and send events there.
import cluster from "node:cluster";
import { once } from "node:events";
import { createServer } from "node:http";
import { openDaybook } from "daybook";
import { createHandler, createToken, memoryTokens } from "daybook/http";
import { fileStorage, listen } from "daybook/node";

const WORKER_COUNT = 2;

if (cluster.isPrimary) await primary(process.argv[2] ?? "./data/cluster");
else work();

async function primary(directory: string): Promise<void> {
  const daybook = await openDaybook({ storage: fileStorage(directory) });
  const token = createToken({ role: "member", scopes: ["events:write", "analytics:read"], nowMs: Date.now() });
  const server = await listen(createHandler({ organizations: { default: daybook }, tokens: memoryTokens([token.record]) }));
  const environment = { DAYBOOK_URL: server.url, DAYBOOK_TOKEN: token.value };
  for (let count = 0; count < WORKER_COUNT; count += 1) cluster.fork(environment);
  let isStopping = false;
  cluster.on("listening", (_worker, { port }) => console.log(`http://127.0.0.1:${port}`));
  // A worker that breaks takes no stored event with it.
  cluster.on("exit", () => isStopping || cluster.fork(environment));

  const stop = async () => {
    isStopping = true;
    const ended = Object.values(cluster.workers ?? {}).map((worker) => worker && once(worker, "exit"));
    cluster.disconnect();
    await Promise.all(ended);
    await server.close();
    await daybook.close();
    // A connection that was on its way to a worker that broke would keep the process.
    process.exit();
  };
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => void stop());
}

function work(): void {
  const ask = async (path: string, body: object): Promise<unknown> => {
    const headers = { authorization: `Bearer ${process.env["DAYBOOK_TOKEN"]}`, "content-type": "application/json" };
    const response = await fetch(`${process.env["DAYBOOK_URL"]}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
    return response.json();
  };
  const server = createServer((request, response) => {
    // With an id, an event that is sent again after an error is stored once.
    ask("/v1/events", { events: [{ id: crypto.randomUUID(), name: "page_view", url: request.url, metadata: { pid: process.pid } }] })
      .then(() => ask("/analytics/count-events", {}))
      .then((counted) => response.end(JSON.stringify({ pid: process.pid, counted })))
      .catch(() => response.writeHead(502).end());
  });
  server.listen(Number(process.env["PORT"] ?? 0), "127.0.0.1");
  // The primary says when, and that is after the last answer: a signal to the whole group must not end a worker before.
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => undefined);
  process.on("disconnect", () => process.exit());
}
