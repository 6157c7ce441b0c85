import type { Random } from "daybook/testing";
import type { HistoryItem, Oracle } from "../../../support/index.js";

type Query =
  | "trend" | "funnel" | "retention" | "lifecycle" | "stickiness" | "paths" | "sessionsOverview" | "webOverview" | "countEvents" | "countEventsPerDay" | "countEventsRunningTotalPerDay" | "countUniqueUsers"
  | "countUniqueUsersPerDay" | "aggregate" | "identityProfile" | "identitySessions" | "revenueByAttribution";

type Answer<Name extends Query> = Readonly<ReturnType<Oracle[Name]>>;

/** Whoever answers, now or later: the oracle, or a Daybook. */
export type Asked = { readonly [Name in Query]: (...input: Parameters<Oracle[Name]>) => Answer<Name> | Promise<Answer<Name>> };

/** A small history, and who answers about it. */
export interface Case {
  readonly random: Random;
  readonly history: readonly HistoryItem[];
  readonly asked: Asked;
  /** Who answers about another history. */
  askedOf(history: readonly HistoryItem[]): Promise<Asked>;
}

/** What holds of the answers about any history. */
export interface InsightLaw {
  readonly title: string;
  /** Of how many histories the long suite asks. */
  readonly count: number;
  check(given: Case): Promise<void>;
}
