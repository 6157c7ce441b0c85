// Many processes, one store: the primary opens it and serves it on the loopback address; the workers serve users, and send events to the primary.
import cluster from "node:cluster";
import { once } from "node:events";
import { createServer } from "node:http";
import { openDaybook } from "daybook";
import { connectDaybook } from "daybook/client";
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
  // A worker that crashes loses no stored event.
  cluster.on("exit", () => isStopping || cluster.fork(environment));

  const stop = async () => {
    isStopping = true;
    const ended = Object.values(cluster.workers ?? {}).map((worker) => worker && once(worker, "exit"));
    cluster.disconnect();
    await Promise.all(ended);
    await server.close();
    await daybook.close();
    // Exit here: a connection that was being passed to a crashed worker would keep the process alive.
    process.exit();
  };
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => void stop());
}

function work(): void {
  const daybook = connectDaybook({ url: process.env["DAYBOOK_URL"] ?? "", token: process.env["DAYBOOK_TOKEN"] ?? "" });
  const visit = async (url: string): Promise<string> => {
    await daybook.ingest([{ name: "page_view", url, metadata: { pid: process.pid } }]);
    return JSON.stringify({ pid: process.pid, visits: await daybook.countEvents({ eventName: "page_view" }) });
  };
  const server = createServer((request, response) => {
    visit(request.url ?? "/").then(
      (answer) => response.end(answer),
      () => response.writeHead(502).end(),
    );
  });
  server.listen(Number(process.env["PORT"] ?? 0), "127.0.0.1");
  // The primary stops the workers after their last response: a signal to the process group must not end them earlier.
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => undefined);
  process.on("disconnect", () => process.exit());
}
