import { listenOnWorker } from "../../../src/platform/node/listen-on-worker.js";
import { handlerOf, stubDaybook } from "../../http/kit.js";

// A thread that says it listens, and then breaks.
const how = process.argv[2] === "exit" ? "process.exit(0)" : 'throw new Error("the thread broke")';
const program = `
  import { parentPort } from "node:worker_threads";
  parentPort.postMessage([{ kind: "listening", port: 1, url: "" }]);
  parentPort.on("message", () => undefined);
  setTimeout(() => { ${how}; }, 50);
`;
await listenOnWorker(handlerOf(stubDaybook()), { program: `data:text/javascript,${encodeURIComponent(program)}` });
setTimeout(() => process.exit(0), 10_000);
