import { DaybookError } from "../../base/errors.js";

/** How often in a row a server may fail to answer, before nobody waits for it any more. */
const FAILED_COUNT = 3;

/**
 * Waits for what takes as long as it takes, as long as the servers are there: else it would wait for ever for one that is gone.
 * @param lookMs from one look to the next
 * @throws what `run` throws; unreachable
 */
export async function watched<T>(run: (signal: AbortSignal) => Promise<T>, areThere: () => Promise<boolean>, lookMs: number): Promise<T> {
  const over = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const gone = new Promise<never>((_, reject) => {
    let failedCount = 0;
    const look = async () => {
      failedCount = (await areThere()) ? 0 : failedCount + 1;
      if (failedCount === FAILED_COUNT) reject(new DaybookError("unreachable", "a server of ClickHouse is gone, and a statement waits for it"));
      else next();
    };
    const next = () => {
      if (!over.signal.aborted) timer = setTimeout(() => void look(), lookMs);
    };
    next();
  });
  try {
    return await Promise.race([run(over.signal), gone]);
  } finally {
    clearTimeout(timer);
    over.abort();
  }
}
