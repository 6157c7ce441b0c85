import { Session } from "node:inspector/promises";
import type { Daybook } from "daybook";
import { windowOf } from "./measure.js";
import type { BenchQuery } from "./bench-query.js";

const profileMs = 1_500;
const lineCount = 12;
const intervalUs = 100;

/** Where Daybook's time goes while it answers one query over and over: the functions with the most time of their own. */
export async function profile(query: BenchQuery, daybook: Daybook): Promise<string> {
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.setSamplingInterval", { interval: intervalUs });
  await session.post("Profiler.start");
  const startedMs = performance.now();
  let runCount = 0;
  while (performance.now() - startedMs < profileMs) {
    await query.run(daybook, windowOf(runCount));
    runCount += 1;
  }
  const { profile: taken } = await session.post("Profiler.stop");
  session.disconnect();
  const usByNode = new Map<number, number>();
  taken.samples?.forEach((node, at) => usByNode.set(node, (usByNode.get(node) ?? 0) + (taken.timeDeltas?.[at] ?? 0)));
  const usByPlace = new Map<string, number>();
  for (const { id, callFrame } of taken.nodes) {
    const place = `${callFrame.functionName || "(anonymous)"} ${callFrame.url.replace(/^.*\/(?=dist\/)/, "")}:${callFrame.lineNumber + 1}`;
    usByPlace.set(place, (usByPlace.get(place) ?? 0) + (usByNode.get(id) ?? 0));
  }
  const lines = [...usByPlace].sort(([, a], [, b]) => b - a).slice(0, lineCount);
  return [`${query.name}: ms per run`, ...lines.map(([place, us]) => `${(us / 1_000 / runCount).toFixed(3).padStart(9)}  ${place}`)].join("\n");
}
