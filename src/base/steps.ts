/** Long work that may be left between two steps, and gone on with. Whoever makes one keeps nothing in a scratch of others' over a step. */
export type Steps<T> = Generator<void, T, void>;

/** Calls `act` with one piece of `[0, count)` after the other, a step each. */
export function* piecesOf(count: number, pieceCount: number, act: (from: number, to: number) => void): Steps<void> {
  for (let from = 0; from < count; from += pieceCount) {
    act(from, Math.min(from + pieceCount, count));
    yield;
  }
}

/** Takes all steps at once. */
export function atOnce<T>(steps: Steps<T>): T {
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  return step.value;
}

/** Takes one step after the other. @param pause gives others a turn, and ends the work by what it throws */
export async function inTurns<T>(steps: Steps<T>, pause: () => Promise<void>): Promise<T> {
  let step = steps.next();
  for (; step.done !== true; step = steps.next()) await pause();
  return step.value;
}
