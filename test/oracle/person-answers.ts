import type { Daybook, QueryOptions } from "daybook";
import type { Oracle } from "../support/index.js";
import { allPages, errorOutcome, type Outcome } from "./answers.js";
import type { PersonQuery } from "../support/random/person-queries.js";

/** The answer that a Daybook owes, or the code of its error. */
export function expectedOutcome(expected: Oracle, { report: name, input }: PersonQuery): Outcome {
  try {
    return { answer: expected[name](input as never) };
  } catch (error) {
    return errorOutcome(error);
  }
}

/** The answer of a Daybook, pages joined, or the code of its error. */
export async function outcome(daybook: Daybook, { report: name, input }: PersonQuery): Promise<Outcome> {
  try {
    if (name === "identitySessions") return { answer: await allSessions(daybook, input, 3) };
    if (name === "searchEvents") return { answer: await allPages(daybook, input, 7) };
    return { answer: await daybook[name](input as never) };
  } catch (error) {
    return errorOutcome(error);
  }
}

/** The same in one piece: pages are of several moments. */
export async function outcomeOfOneMoment(daybook: Daybook, { report: name, input }: PersonQuery, options?: QueryOptions): Promise<Outcome> {
  try {
    if (name !== "identitySessions") return { answer: await daybook[name](input as never, options) };
    const { cursor, ...answer } = await daybook.identitySessions({ ...input, limit: 100 }, options);
    if (cursor !== null) throw new Error("a small history has more sessions than a page");
    return { answer };
  } catch (error) {
    return errorOutcome(error);
  }
}

/** All sessions of a window, page by page. @throws when a page but the last is not full */
export async function allSessions(
  daybook: Daybook,
  input: Parameters<Oracle["identitySessions"]>[0],
  limit: number,
): Promise<ReturnType<Oracle["identitySessions"]>> {
  let { cursor, ...all } = await daybook.identitySessions({ ...input, limit });
  while (cursor !== null) {
    if (all.sessions.length % limit !== 0) throw new Error("a page before the last is not full");
    const page = await daybook.identitySessions({ ...input, limit, cursor });
    if (page.sessions.length === 0) throw new Error("a page after the first is empty");
    all = { ...all, sessions: [...all.sessions, ...page.sessions] };
    cursor = page.cursor;
  }
  return all;
}
