import type { HostList } from "../../../src/query/plan/plan.js";
import { SECOND_LEVELS } from "../../../src/query/plan/report-rules.js";
import type { OracleEvent } from "./event.js";
import type { Rules } from "./rules.js";

/** Who brought a visit; null where the event does not say. */
export interface Touch {
  readonly source: string | null;
  readonly medium: string | null;
  readonly campaign: string | null;
}

const CLICK_IDS = [
  { name: "gclid", source: "google", medium: "cpc" },
  { name: "msclkid", source: "bing", medium: "cpc" },
  { name: "fbclid", source: "facebook", medium: "paid" },
];

/** The touch in an event: its utm values, else its click id, else its referrer; null for a direct visit. */
export function touchOf(event: OracleEvent, rules: Rules): Touch | null {
  return campaignOf(event) ?? referrerTouch(event, rules);
}

/** The touch of utm values, else of a click id; null where the event has neither. */
export function campaignOf(event: OracleEvent): Touch | null {
  const [source, medium, campaign] = ["utm_source", "utm_medium", "utm_campaign"].map((name) => utmValue(event, name));
  if (source || medium || campaign) return { source: source ?? null, medium: medium ?? null, campaign: campaign ?? null };
  const click = CLICK_IDS.find(({ name }) => isClickId(event.record.metadata[name]) || isClickId(queryValue(event, name)));
  return click === undefined ? null : { source: click.source, medium: click.medium, campaign: null };
}

function isClickId(value: unknown): boolean {
  return typeof value === "number" || (typeof value === "string" && value !== "");
}

/** The text of a name in metadata, else in the query of the url; trimmed, null for an empty one. */
function utmValue(event: OracleEvent, name: string): string | null {
  const given = event.record.metadata[name];
  return (typeof given === "string" ? given.trim() : "") || queryValue(event, name)?.trim() || null;
}

function queryValue({ record }: OracleEvent, name: string): string | null {
  const [beforeFragment = ""] = record.url.split("#");
  const [, ...query] = beforeFragment.split("?");
  // With an `&` in front a second `?` is no longer taken for the beginning of the query.
  return new URLSearchParams(`&${query.join("?")}`).get(name);
}

function referrerTouch({ record: { referrer, hostname } }: OracleEvent, rules: Rules): Touch | null {
  const source = sourceOf(referrer ?? "");
  if (source === "" || source === hostKey(hostname) || isListed(source, rules.excludedHosts)) return null;
  return { source, medium: mediumOf(source, rules), campaign: null };
}

function mediumOf(source: string, { signInHosts, searchHosts, socialHosts }: Rules): string {
  if (isListed(source, signInHosts)) return "referral";
  if (isListed(source, searchHosts)) return "organic";
  return isListed(source, socialHosts) ? "social" : "referral";
}

/** Whether a page to sign in sent the visitor, who had been brought by somebody before. */
export function isReturnFromSignIn(event: OracleEvent, rules: Rules): boolean {
  return campaignOf(event) === null && isListed(sourceOf(event.record.referrer ?? ""), rules.signInHosts);
}

/** The host of a web page, or the package of an app. */
function sourceOf(referrer: string): string {
  const isPageOrApp = /^(https?|(android|ios)-app):/i.test(referrer.trim()) && URL.canParse(referrer);
  return isPageOrApp ? sourceName(new URL(referrer).hostname) : "";
}

/** A host name has at most 253 characters. */
export function sourceName(hostname: string): string {
  const name = nameOf(hostname);
  return name.length > 253 ? "" : name;
}

/** The same text for whatever a browser takes for the same host; ports, a final dot and `www.` aside. */
export function hostKey(host: string): string {
  const colons = host.split(":").length - 1;
  const authority = colons > 1 && !host.includes("[") ? `[${host.trim()}]` : host.trim();
  const isHost = /^[^\s/\\?#@]+$/.test(authority) && !/^\d+$/.test(authority) && URL.canParse(`https://${authority}`);
  return nameOf(isHost ? new URL(`https://${authority}`).hostname : authority.split(/:\d*$/).join(""));
}

/** What is left of the host that a URL names. */
export function nameOf(hostname: string): string {
  const host = hostname.toLowerCase();
  const name = host.endsWith(".") ? host.slice(0, -1) : host;
  return name.startsWith("www.") ? name.slice("www.".length) : name;
}

/** True for a host of the list, and for a domain of it and all below; a last label of `*` is one label, or a second level of a country's. */
function isListed(source: string, { hosts, domains }: HostList): boolean {
  return hosts.includes(source) || domains.some((domain) => isWithin(source, domain));
}

function isWithin(source: string, domain: string): boolean {
  if (!domain.endsWith(".*")) return source === domain || source.endsWith(`.${domain}`);
  const labels = source.split(".");
  const isOfCountry = labels.length > 2 && /^[a-z][a-z]$/.test(labels.at(-1) ?? "") && (SECOND_LEVELS as readonly string[]).includes(labels.at(-2) ?? "");
  return (isOfCountry ? [1, 2] : [1]).some((count) => isWithin(labels.slice(0, -count).join("."), domain.slice(0, -2)));
}
