import { parameterError, shown } from "../../core/base/errors.js";
import { rejectUnknownOptions, type KnownOptions } from "../../core/base/known-options.js";
import { slugOf } from "../../core/schema/slug.js";
import { comparedHost, isHost } from "../../core/schema/web-host.js";
import type { ReportRules } from "./context.js";
import type { HostList } from "./plan.js";
import { PAYMENT_HOSTS, SEARCH_HOSTS, SIGN_IN_HOSTS, SOCIAL_HOSTS } from "./touch-hosts.js";

/** Options that determine what reports mean. */
export interface RuleOptions {
  readonly currency?: string;
  readonly session?: { readonly gapMs?: number; readonly maxMs?: number };
  readonly pageviewSlugs?: readonly string[];
  readonly revenue?: { readonly paymentNames?: readonly string[]; readonly refundNames?: readonly string[] };
  readonly attribution?: {
    readonly excludedHosts?: readonly string[];
    readonly searchHosts?: readonly string[];
    readonly socialHosts?: readonly string[];
    readonly lookbackMs?: number | null;
  };
}

type Of<Option extends keyof RuleOptions> = KnownOptions<NonNullable<RuleOptions[Option]>>;
const KNOWN_OF_SESSION: Of<"session"> = { gapMs: true, maxMs: true };
const KNOWN_OF_REVENUE: Of<"revenue"> = { paymentNames: true, refundNames: true };
const KNOWN_OF_ATTRIBUTION: Of<"attribution"> = { excludedHosts: true, searchHosts: true, socialHosts: true, lookbackMs: true };

const GAP_MS = 30 * 60_000;
const MAX_MS = 24 * 3_600_000;
const PAGEVIEW_SLUGS = ["pageview", "page-view", "page", "screen-view"];
const PAYMENT_NAMES = ["Payment", "Purchase", "Order Completed"];
const REFUND_NAMES = ["Refund", "Order Refunded"];

/** The options with their defaults, as plans contain them. @throws invalid_parameter, unknown_parameter */
export function reportRules(options: RuleOptions): ReportRules {
  const { currency = "USD", pageviewSlugs } = options;
  const { session = {}, revenue = {}, attribution = {} } = options;
  rejectUnknownOptions(session, KNOWN_OF_SESSION, "session");
  rejectUnknownOptions(revenue, KNOWN_OF_REVENUE, "revenue");
  rejectUnknownOptions(attribution, KNOWN_OF_ATTRIBUTION, "attribution");
  return {
    session: { gapMs: durationOf("session.gapMs", session.gapMs ?? GAP_MS), maxMs: durationOf("session.maxMs", session.maxMs ?? MAX_MS) },
    pageviewSlugs: textsOf("pageviewSlugs", pageviewSlugs ?? PAGEVIEW_SLUGS),
    revenue: {
      paymentSlugs: slugsOf("revenue.paymentNames", revenue.paymentNames ?? PAYMENT_NAMES),
      refundSlugs: slugsOf("revenue.refundNames", revenue.refundNames ?? REFUND_NAMES),
      currency,
    },
    touch: {
      excludedHosts: { hosts: PAYMENT_HOSTS.hosts, domains: [...PAYMENT_HOSTS.domains, ...domainsOf("excludedHosts", attribution.excludedHosts ?? [])] },
      signInHosts: SIGN_IN_HOSTS,
      searchHosts: hostsOf("searchHosts", attribution.searchHosts, SEARCH_HOSTS),
      socialHosts: hostsOf("socialHosts", attribution.socialHosts, SOCIAL_HOSTS),
      lookbackMs: attribution.lookbackMs === undefined || attribution.lookbackMs === null ? null : durationOf("attribution.lookbackMs", attribution.lookbackMs),
    },
  };
}

function hostsOf(name: string, given: readonly string[] | undefined, otherwise: HostList): HostList {
  return given === undefined ? otherwise : { hosts: [], domains: domainsOf(name, given) };
}

/** In the form in which hosts are compared, keeping a last label of `*`. */
function domainsOf(name: string, given: readonly string[]): string[] {
  const option = `attribution.${name}`;
  return textsOf(option, given).map((text) => {
    const [, host = "", ending = ""] = /^(.*?)(\.\*)?$/s.exec(text.trim()) ?? [];
    if (!isHost(host) || host.includes("*")) throw parameterError("invalid_parameter", option, `expected hosts such as "pay.example", "pay.*" or the package of an app, got ${shown(text)}`);
    return comparedHost(host) + ending;
  });
}

/** The slugs of payments and refunds, ascending. */
export function moneySlugs({ paymentSlugs, refundSlugs }: ReportRules["revenue"]): string[] {
  return [...new Set([...paymentSlugs, ...refundSlugs])].sort();
}

function slugsOf(option: string, names: unknown): string[] {
  return textsOf(option, names).map((name) => {
    const slug = slugOf(name);
    if (slug === "") throw parameterError("invalid_parameter", option, `expected names with a letter or a digit, got ${shown(name)}`);
    return slug;
  });
}

/** In whole ms, like times and their differences. */
function durationOf(option: string, value: unknown): number {
  if (typeof value === "number" && Number.isFinite(value) && value >= 0) return Math.floor(value);
  throw parameterError("invalid_parameter", option, `expected milliseconds, 0 or more, got ${shown(value)}`);
}

function textsOf(option: string, value: unknown): readonly string[] {
  if (Array.isArray(value) && value.every((item) => typeof item === "string" && item !== "")) return value as string[];
  throw parameterError("invalid_parameter", option, `expected a list of non-empty texts, got ${shown(value)}`);
}
