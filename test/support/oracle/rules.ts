import { rejectUnknownOptions, type KnownOptions } from "../../../src/core/base/options.js";
import type { DaybookOptions } from "../../../src/engine/options.js";
import type { PeopleSegment } from "../../../src/query/plan/input.js";
import type { HostList } from "../../../src/query/plan/plan.js";
import { PAYMENT_HOSTS, SEARCH_HOSTS, SIGN_IN_HOSTS, SOCIAL_HOSTS } from "../../../src/query/plan/report-rules.js";
import { slugOf } from "./slug.js";
import { hostKey } from "./touch.js";

/** The clock of an oracle, and the options of a Daybook that settle what answers mean. */
export interface OracleOptions
  extends Pick<DaybookOptions, "currency" | "rates" | "session" | "pageviewSlugs" | "revenue" | "attribution" | "futureEvents"> {
  /** Epoch ms at which everything arrived and is asked. */
  readonly nowMs: number;
  /** The saved segments, by name. */
  readonly segments?: Readonly<Record<string, PeopleSegment>>;
}

/** What options come to once defaults are filled in. */
export interface Rules {
  readonly nowMs: number;
  readonly currency: string;
  readonly rates: NonNullable<DaybookOptions["rates"]>;
  readonly gapMs: number;
  readonly maxMs: number;
  readonly pageviewSlugs: readonly string[];
  readonly paymentSlugs: readonly string[];
  readonly refundSlugs: readonly string[];
  readonly excludedHosts: HostList;
  readonly signInHosts: HostList;
  readonly searchHosts: HostList;
  readonly socialHosts: HostList;
  readonly lookbackMs: number;
  readonly segments: Readonly<Record<string, PeopleSegment>>;
}

const KNOWN: KnownOptions<OracleOptions> = { nowMs: true, futureEvents: true, currency: true, rates: true, session: true, pageviewSlugs: true, revenue: true, attribution: true, segments: true };

/** @throws invalid_parameter, unknown_parameter */
export function rulesOf(options: OracleOptions): Rules {
  rejectUnknownOptions(options, KNOWN);
  const { session, revenue, attribution } = options;
  return {
    nowMs: options.nowMs,
    currency: options.currency ?? "USD",
    rates: options.rates ?? (() => undefined),
    gapMs: session?.gapMs ?? 30 * 60_000,
    maxMs: session?.maxMs ?? 24 * 3_600_000,
    pageviewSlugs: options.pageviewSlugs ?? ["pageview", "page-view", "page", "screen-view"],
    paymentSlugs: (revenue?.paymentNames ?? ["Payment", "Purchase", "Order Completed"]).map(slugOf),
    refundSlugs: (revenue?.refundNames ?? ["Refund", "Order Refunded"]).map(slugOf),
    excludedHosts: { hosts: [], domains: [...PAYMENT_HOSTS.domains, ...given(attribution?.excludedHosts ?? [])] },
    signInHosts: SIGN_IN_HOSTS,
    searchHosts: attribution?.searchHosts === undefined ? SEARCH_HOSTS : { hosts: [], domains: given(attribution.searchHosts) },
    socialHosts: attribution?.socialHosts === undefined ? SOCIAL_HOSTS : { hosts: [], domains: given(attribution.socialHosts) },
    lookbackMs: attribution?.lookbackMs ?? Infinity,
    segments: options.segments ?? {},
  };
}

/** The domains of an option. */
function given(hosts: readonly string[]): string[] {
  return hosts.map((host) => (host.trim().endsWith(".*") ? `${hostKey(host.trim().slice(0, -2))}.*` : hostKey(host)));
}
