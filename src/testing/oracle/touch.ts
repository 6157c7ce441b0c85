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
  const host = hostOf(referrer ?? "");
  if (host === "" || host === withoutWww(hostname.toLowerCase().replace(/:\d*$/, "")) || isListed(host, rules.excludedHosts)) return null;
  const medium = isListed(host, rules.searchHosts) ? "organic" : isListed(host, rules.socialHosts) ? "social" : "referral";
  return { source: host, medium, campaign: null };
}

function hostOf(referrer: string): string {
  if (!/^https?:/i.test(referrer.trim()) || !URL.canParse(referrer)) return "";
  return withoutWww(new URL(referrer).hostname.toLowerCase());
}

function withoutWww(host: string): string {
  return host.replace(/^www\./, "");
}

/** True for a host of the list and for its subdomains; a last label of `*` stands for any ending. */
function isListed(host: string, hosts: readonly string[]): boolean {
  return hosts.some((listed) => {
    if (listed.endsWith(".*")) return `.${host}`.includes(`.${listed.slice(0, -1)}`);
    return `.${host}`.endsWith(`.${listed}`);
  });
}
