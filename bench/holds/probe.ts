import { Session } from "node:inspector";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** What the event loop and the memory of this process did while something ran. */
export interface Probed {
  /** The longest time in which nobody else had a turn. */
  readonly holdMs: number;
  /** What was in use at most beyond what was before, garbage that nobody collected yet included. */
  readonly bytes: number;
  /** Functions that ran in the long holds, by their own samples: the most frequent first. Empty without `profile`. */
  readonly culprits: readonly string[];
}

const TICK_MS = 1;
/** Reading the figures of the heap takes some 20 µs. */
const TICKS_PER_LOOK = 4;
const CULPRIT_COUNT = 6;

interface Sampled {
  readonly profile: {
    readonly nodes: readonly { readonly id: number; readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number }; readonly children?: readonly number[] }[];
    readonly samples?: readonly number[];
    readonly timeDeltas?: readonly number[];
    readonly startTime: number;
  };
}

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

const session = new Session();
session.connect();
session.post("Profiler.enable");
session.post("Profiler.setSamplingInterval", { interval: 1_000 });

/** Runs `act` with a timer beside it. @param overMs holds that are longer are looked into */
export async function probe(act: () => Promise<void>, profiles: boolean, overMs: number): Promise<Probed> {
  collectGarbage();
  const before = bytesInUse();
  let [lastMs, lastCpuMs, holdMs, bytes, tickCount] = [performance.now(), cpuMs(), 0, 0, 0];
  const holds: { readonly fromUs: number; readonly toUs: number }[] = [];
  const look = () => {
    const [nowMs, nowCpuMs] = [performance.now(), cpuMs()];
    // Where the machine did other work meanwhile, nothing of this process held it.
    const heldMs = Math.min(nowMs - lastMs, nowCpuMs - lastCpuMs);
    if (heldMs > holdMs) holdMs = heldMs;
    if (heldMs > overMs) holds.push({ fromUs: monotonicUs() - (nowMs - lastMs) * 1_000, toUs: monotonicUs() });
    [lastMs, lastCpuMs] = [nowMs, nowCpuMs];
    tickCount += 1;
    if (tickCount % TICKS_PER_LOOK === 0) bytes = Math.max(bytes, bytesInUse() - before);
  };
  if (profiles) session.post("Profiler.start");
  [lastMs, lastCpuMs] = [performance.now(), cpuMs()];
  const timer = setInterval(look, TICK_MS);
  try {
    await act();
    look();
    bytes = Math.max(bytes, bytesInUse() - before);
  } finally {
    clearInterval(timer);
  }
  let culprits: string[] = [];
  if (profiles) session.post("Profiler.stop", (_error, sampled) => (culprits = holds.length === 0 ? [] : culpritsOf(sampled as Sampled, holds)));
  return { holdMs, bytes, culprits };
}

/** Of all threads of this process: those of the garbage collector among them. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

function monotonicUs(): number {
  return Number(process.hrtime.bigint() / 1_000n);
}

function bytesInUse(): number {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

function culpritsOf({ profile }: Sampled, holds: readonly { readonly fromUs: number; readonly toUs: number }[]): string[] {
  const byId = new Map(profile.nodes.map((node) => [node.id, node]));
  const parentOf = new Map(profile.nodes.flatMap(({ id, children = [] }) => children.map((child): [number, number] => [child, id])));
  const counts = new Map<string, number>();
  let atUs = profile.startTime;
  for (const [at, id] of (profile.samples ?? []).entries()) {
    atUs += profile.timeDeltas?.[at] ?? 0;
    if (!holds.some(({ fromUs, toUs }) => atUs >= fromUs && atUs <= toUs)) continue;
    const path: string[] = [];
    for (let node = byId.get(id); node !== undefined && path.length < 3; node = byId.get(parentOf.get(node.id) ?? -1)) {
      const { functionName, url, lineNumber } = node.callFrame;
      if (functionName !== "(root)" && functionName !== "(program)") path.push(`${functionName || "?"}${url === "" ? "" : ` ${url.slice(url.lastIndexOf("/") + 1)}:${lineNumber + 1}`}`);
    }
    const name = path.join(" < ");
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts].sort((a, b) => b[1] - a[1]).slice(0, CULPRIT_COUNT).map(([name, count]) => `${count} ms ${name}`);
}
