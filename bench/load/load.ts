import { Connection } from "./connection.js";
import type { Answer } from "./connection.js";

export interface Outcome {
  readonly sentCount: number;
  /** Requests whose connection ended without an answer. */
  readonly lostCount: number;
  readonly answers: readonly Answer[];
  readonly elapsedMs: number;
}

const TICK_MS = 5;

/** Each connection sends the next request when the one before is answered. */
export async function closedLoop(port: number, request: (at: number) => Buffer, connectionCount: number, ms: number): Promise<Outcome> {
  const answers: Answer[] = [];
  let [sentCount, lostCount] = [0, 0];
  const startedMs = performance.now();
  const run = async () => {
    const connection = await Connection.open(port);
    while (connection.isOpen && performance.now() - startedMs < ms) {
      sentCount += 1;
      const answer = await connection.send(request(sentCount));
      if (answer === null) lostCount += 1;
      else answers.push(answer);
    }
    connection.close();
  };
  await Promise.all(Array.from({ length: connectionCount }, run));
  return { sentCount, lostCount, answers, elapsedMs: performance.now() - startedMs };
}

/** Requests come at their times whether those before are answered or not, as long as a connection is free to send them. */
export async function openLoop(port: number, request: (at: number) => Buffer, perSecond: number, connectionCount: number, ms: number): Promise<Outcome> {
  const answers: Answer[] = [];
  const idle: Connection[] = [];
  // One after the other: a burst of connections is not what is measured here.
  for (let left = connectionCount; left > 0; left -= 1) idle.push(await Connection.open(port));
  const pending = new Set<Promise<void>>();
  let [sentCount, lostCount] = [0, 0];
  const startedMs = performance.now();
  const send = async (connection: Connection) => {
    sentCount += 1;
    const answer = await connection.send(request(sentCount));
    if (answer === null) lostCount += 1;
    else answers.push(answer);
    await connection.written;
    idle.push(connection.isOpen ? connection : await Connection.open(port));
  };
  while (performance.now() - startedMs < ms) {
    const dueCount = ((performance.now() - startedMs) / 1_000) * perSecond;
    while (sentCount < dueCount) {
      // The longest idle first, so that none is idle until the server closes it.
      const connection = idle.shift();
      if (connection === undefined) break;
      const sending = send(connection).finally(() => pending.delete(sending));
      pending.add(sending);
    }
    await new Promise((resolve) => setTimeout(resolve, TICK_MS));
  }
  // What came in that time and is answered after it took that long too.
  await Promise.all(pending);
  const elapsedMs = performance.now() - startedMs;
  for (const connection of idle) connection.close();
  return { sentCount, lostCount, answers, elapsedMs };
}

/** The value that a share of a list does not exceed. */
export function quantile(values: readonly number[], share: number): number {
  const ascending = [...values].sort((a, b) => a - b);
  return ascending[Math.min(ascending.length - 1, Math.floor(ascending.length * share))] ?? 0;
}
