/**
 * Asks about the histories of the arguments, or about so many where there are none: exit code 1 where one tells a difference, or 0. Says which it
 * is about to ask about, so that also that is known which takes the process down.
 * @param firstArgument where the histories begin @param differenceOf null where all answers are as they should be
 */
export async function askHistories(firstArgument: number, count: number, differenceOf: (history: number) => Promise<string | null>): Promise<void> {
  const given = process.argv.slice(firstArgument).map(Number);
  const histories = given.length > 0 ? given : Array.from({ length: count }, (_, history) => history);
  for (const history of histories) {
    process.stdout.write(`history ${history}\n`);
    const difference = await differenceOf(history).catch(String);
    if (difference === null) continue;
    process.stdout.write(`${difference.slice(0, 2_000)}\n`);
    process.exit(1);
  }
}
