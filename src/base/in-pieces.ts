/** What is looked at between two turns: some 0.2 ms, and some 10 where each is in memory that is touched for the first time. */
const PIECE_COUNT = 32 * 1024;

/** Calls `act` with one piece of `[0, count)` after the other; others have a turn in between. */
export async function inPieces(count: number, pause: () => Promise<void>, act: (from: number, to: number) => void): Promise<void> {
  for (let from = 0; from < count; from += PIECE_COUNT) {
    act(from, Math.min(from + PIECE_COUNT, count));
    await pause();
  }
}
