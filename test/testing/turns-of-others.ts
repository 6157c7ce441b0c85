/** Turns of the event loop that others have while `act` runs. */
export async function turnsOfOthers(act: () => Promise<unknown>): Promise<number> {
  let count = 0;
  let isOver = false;
  const next = () => {
    count += 1;
    if (!isOver) setImmediate(next);
  };
  setImmediate(next);
  await act();
  isOver = true;
  return count;
}
