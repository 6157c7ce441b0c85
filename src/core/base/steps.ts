/** Long work that can be paused or abandoned between two steps. A step must leave nothing in a scratch that other work shares. */
export type Steps<T> = Generator<void, T, void>;

/** Calls `act` with one chunk of `[0, count)` after the other, one per step. */
export function* piecesOf(count: number, pieceCount: number, act: (from: number, to: number) => void): Steps<void> {
  for (let from = 0; from < count; from += pieceCount) {
    act(from, Math.min(from + pieceCount, count));
    yield;
  }
}

/** Runs all steps without a pause. */
export function atOnce<T>(steps: Steps<T>): T {
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  return step.value;
}

/** Runs the steps one by one. @param pause yields to other work; what it throws ends the steps */
export async function inTurns<T>(steps: Steps<T>, pause: () => Promise<void>): Promise<T> {
  let step = steps.next();
  for (; step.done !== true; step = steps.next()) await pause();
  return step.value;
}
