import { trafficBatches } from "../traffic.js";

/** Batches as JSON texts, one for each message: generating them takes the time of another process. Its argument: the number of events. */
const batches = trafficBatches({ seed: 1, eventCount: Number(process.argv[2]), batchRowCount: 1_000 });
process.on("message", () => {
  const { value } = batches.next();
  process.send?.(value === undefined ? null : JSON.stringify(value));
});
