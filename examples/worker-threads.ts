// A store on a thread of its own: events and questions are messages, and the thread that serves people is never held up.
import { isMainThread, MessageChannel, parentPort, Worker, workerData } from "node:worker_threads";
import type { MessagePort } from "node:worker_threads";
import { DaybookError, openDaybook } from "daybook";
import type { Daybook } from "daybook";
import { fileStorage } from "daybook/node";

type Method = "ingest" | "countEvents" | "aggregate" | "close";
type Reply = { readonly value: unknown } | { readonly code: string; readonly message: string };

if (isMainThread) await main(process.argv[2] ?? "./data/worker-threads");
else await serveStore(workerData as string);

/** On the worker: a Daybook cannot be sent to another thread, so it is opened where it is used. */
async function serveStore(directory: string): Promise<void> {
  const daybook = await openDaybook({ storage: fileStorage(directory) });
  parentPort?.on("message", ({ method, input, port }: { method: Method; input: unknown; port: MessagePort }) => {
    const call = daybook[method].bind(daybook) as (input: unknown) => Promise<unknown>;
    call(input).then(
      (value) => port.postMessage({ value } satisfies Reply),
      // Errors lose their code on the way to another thread.
      (error: DaybookError) => port.postMessage({ code: error.code, message: error.message } satisfies Reply),
    );
  });
}

/** On any other thread. */
function asking(worker: Worker) {
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
  const ask = asking(worker);
  console.log("stored:", await ask("ingest", [{ name: "order", userId: "ada" }, { name: "order", userId: "ben" }]));
  console.log("counted:", await ask("countEvents", { eventName: "order" }));
  await ask("countEvents", { startDate: "yesterday" }).catch((error: DaybookError) => console.log("refused:", error.code));

  // The files are written by one opening only. Others may read them, and see the moment they were opened.
  await openDaybook({ storage: fileStorage(directory) }).catch((error: DaybookError) => console.log("a second writer:", error.code));
  const reader = await openDaybook({ storage: fileStorage(directory), readOnly: true });
  await ask("ingest", [{ name: "order", userId: "eve" }]);
  console.log("a reader of before:", await reader.countEvents(), "the writer:", await ask("countEvents"));
  await reader.close();

  await ask("close");
  await worker.terminate();
}
