/** What is looked at between two turns: about a millisecond. */
const PIECE_COUNT = 128 * 1024;

/** Calls `act` with one piece of `[0, count)` after the other; others have a turn in between. */
export async function inPieces(count: number, pause: () => Promise<void>, act: (from: number, to: number) => void): Promise<void> {
  for (let from = 0; from < count; from += PIECE_COUNT) {
    act(from, Math.min(from + PIECE_COUNT, count));
    await pause();
  }
}
