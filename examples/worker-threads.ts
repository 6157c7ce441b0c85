// A store on a worker thread. Events and queries are messages, so queries do not block the main thread.
import { isMainThread, MessageChannel, parentPort, Worker, workerData } from "node:worker_threads";
import type { MessagePort } from "node:worker_threads";
import { DaybookError, openDaybook } from "daybook";
import type { Daybook } from "daybook";
import { fileStorage } from "daybook/node";

type Method = "ingest" | "countEvents" | "aggregate" | "close";
type Reply = { readonly value: unknown } | { readonly code: string; readonly message: string };

if (isMainThread) await main(process.argv[2] ?? "./data/worker-threads");
else await serveStore(workerData as string);

/** Runs on the worker: a Daybook cannot be sent to another thread, so the thread that uses it opens it. */
async function serveStore(directory: string): Promise<void> {
  const daybook = await openDaybook({ storage: fileStorage(directory) });
  parentPort?.on("message", ({ method, input, port }: { method: Method; input: unknown; port: MessagePort }) => {
    const call = daybook[method].bind(daybook) as (input: unknown) => Promise<unknown>;
    call(input).then(
      (value) => port.postMessage({ value } satisfies Reply),
      // Errors lose their code when they are sent to another thread.
      (error: DaybookError) => port.postMessage({ code: error.code, message: error.message } satisfies Reply),
    );
  });
}

/** Runs on any other thread. Returns a function that calls a method of the Daybook on the worker. */
function clientOf(worker: Worker) {
  return <M extends Method>(method: M, input?: Parameters<Daybook[M]>[0]) =>
    new Promise<Awaited<ReturnType<Daybook[M]>>>((resolve, reject) => {
      const { port1, port2 } = new MessageChannel();
      port1.once("message", (reply: Reply) => {
        port1.close();
        if ("code" in reply) reject(new DaybookError(reply.code as DaybookError["code"], reply.message));
        else resolve(reply.value as Awaited<ReturnType<Daybook[M]>>);
      });
      worker.postMessage({ method, input, port: port2 }, [port2]);
    });
}

async function main(directory: string): Promise<void> {
  const worker = new Worker(new URL(import.meta.url), { workerData: directory });
  const call = clientOf(worker);
  console.log("stored:", await call("ingest", [{ name: "order", userId: "ada" }, { name: "order", userId: "ben" }]));
  console.log("counted:", await call("countEvents", { eventName: "order" }));
  await call("countEvents", { startDate: "yesterday" }).catch((error: DaybookError) => console.log("refused:", error.code));

  // A store has only one writer. Readers see the store as it was when they opened it.
  await openDaybook({ storage: fileStorage(directory) }).catch((error: DaybookError) => console.log("a second writer:", error.code));
  const reader = await openDaybook({ storage: fileStorage(directory), readOnly: true });
  await call("ingest", [{ name: "order", userId: "eve" }]);
  console.log("a reader opened before:", await reader.countEvents(), "the writer:", await call("countEvents"));
  await reader.close();

  await call("close");
  await worker.terminate();
}
