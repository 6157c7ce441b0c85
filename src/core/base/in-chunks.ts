/** Items between two pauses: about 0.2 ms, or 10 ms where each lies in memory that is touched for the first time. */
const PIECE_COUNT = 32 * 1024;

/** Calls `act` with one chunk of `[0, count)` after the other, pausing after each. */
export async function inChunks(count: number, pause: () => Promise<void>, act: (from: number, to: number) => void): Promise<void> {
  for (let from = 0; from < count; from += PIECE_COUNT) {
    act(from, Math.min(from + PIECE_COUNT, count));
    await pause();
  }
}
