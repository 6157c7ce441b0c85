import { expect } from "vitest";
import { memoryStorage, openDaybook } from "../../src/index.js";
import type { Daybook } from "../../src/engine/daybook.js";
import { DATA_SETS, type DataSet } from "../../examples/demo/data-sets.js";
import { load } from "../../src/cli/load.js";

/** What the figures are asked of. */
export type Published = Pick<
  Daybook,
  | "countEvents" | "countEventsPerDay" | "countUniqueUsers" | "countUniqueUsersPerDay" | "aggregate" | "exportEvents" | "identityProfile" | "ltvCohorts"
  | "revenueByAttribution" | "retention"
>;

/** A Daybook with one of the data sets: the same for all tests of a file. */
export type DaybookOf = (organization: string) => Promise<Published>;

const open = new Map<string, Promise<Daybook>>();

/** To be called behind all tests of a file. */
export async function closeAll(): Promise<void> {
  for (const daybook of open.values()) await (await daybook).close();
  open.clear();
}

/** A Daybook in memory with one of the data sets, every row of which must arrive: the same for all tests of a file. */
export function filled(organization: string): Promise<Daybook> {
  const known = open.get(organization) ?? fill(organization);
  open.set(organization, known);
  return known;
}

/** @throws Error when there is none */
export function dataSet(organization: string): DataSet {
  const set = DATA_SETS.find((candidate) => candidate.organization === organization);
  if (set === undefined) throw new Error(`no data set ${organization}`);
  return set;
}

async function fill(organization: string): Promise<Daybook> {
  const set = dataSet(organization);
  const daybook = await openDaybook({ storage: memoryStorage(), currency: set.currency });
  expect(await load(daybook, set.rows())).toEqual({ accepted: set.eventCount, duplicates: 0, records: 0, rejected: 0, rejections: [], adjusted: 0, adjustments: [] });
  await daybook.seal();
  return daybook;
}

/** Sums in cents, exactly: each is a number of two decimals. */
export const sumOf = (cohorts: readonly { readonly revenue: number }[]): string =>
  (cohorts.reduce((sum, { revenue }) => sum + Math.round(revenue * 100), 0) / 100).toFixed(2);
