import { deepStrictEqual } from "node:assert/strict";
import { DaybookError } from "daybook";
import type { Daybook } from "daybook";
import type { ReportName } from "../../src/query/queries.js";

export type Asker = Pick<Daybook, ReportName>;

export interface Asked {
  readonly report: ReportName;
  readonly input: object;
}

/** What came of a query, the words of an error included. */
export async function outcome(asker: Asker, { report, input }: Asked): Promise<unknown> {
  try {
    return { answer: await asker[report](input as never) };
  } catch (error) {
    if (!(error instanceof DaybookError)) throw error;
    return { code: error.code, message: error.message, param: error.details.param };
  }
}

/** @throws where a client and a Daybook differ about a query */
export async function expectSame(client: Asker, daybook: Asker, query: Asked): Promise<unknown> {
  const [actual, expected] = [await outcome(client, query), await outcome(daybook, query)];
  try {
    deepStrictEqual(actual, expected);
  } catch (error) {
    throw new Error(`${query.report} ${JSON.stringify(query.input)}: ${(error as Error).message}`, { cause: error });
  }
  return actual;
}
