/**
 * Asks about the histories of the arguments, or about so many where there are none: exit code 1 and the first that tells a difference, or 0.
 * @param firstArgument where the histories begin @param differenceOf null where all answers are as they should be
 */
export async function askHistories(firstArgument: number, count: number, differenceOf: (history: number) => Promise<string | null>): Promise<void> {
  const given = process.argv.slice(firstArgument).map(Number);
  const histories = given.length > 0 ? given : Array.from({ length: count }, (_, history) => history);
  for (const history of histories) {
    const difference = await differenceOf(history).catch(String);
    if (difference === null) continue;
    process.stdout.write(`history ${history}: ${difference}\n`);
    process.exit(1);
  }
}
