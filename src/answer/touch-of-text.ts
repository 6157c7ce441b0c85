import type { TouchRule } from "../plan/plan.js";

/** Who brought somebody; null where it is not told. */
export interface Touch {
  readonly source: string | null;
  readonly medium: string | null;
  readonly campaign: string | null;
}

export const UTM_KEYS = ["utm_source", "utm_medium", "utm_campaign"] as const;

/** Click ids by what they tell, the first that is there counts. */
const CLICKS: readonly (readonly [key: string, source: string, medium: string])[] = [
  ["gclid", "google", "cpc"],
  ["msclkid", "bing", "cpc"],
  ["fbclid", "facebook", "paid"],
];
export const CLICK_KEYS = CLICKS.map(([key]) => key);

/** What the query of a url, or metadata, tells: texts by `UTM_KEYS`, and which of `CLICK_KEYS` are there. */
export interface Campaign {
  readonly utm: readonly (string | null)[];
  readonly clicks: readonly boolean[];
}

/** The touch of a campaign; null where it tells of none. */
export function touchOfCampaign({ utm, clicks }: Campaign): Touch | null {
  const [source = null, medium = null, campaign = null] = utm;
  if (source !== null || medium !== null || campaign !== null) return { source, medium, campaign };
  const click = CLICKS.find((_, at) => clicks[at] === true);
  return click === undefined ? null : { source: click[1], medium: click[2], campaign: null };
}

/** What metadata tells, by `UTM_KEYS` and then `CLICK_KEYS`, undefined for a key that is not there; null for metadata without any of them. */
export function campaignOfValues(values: readonly unknown[]): Campaign | null {
  if (values.every((value) => value === undefined)) return null;
  return {
    utm: values.slice(0, UTM_KEYS.length).map((value) => (typeof value === "string" ? trimmed(value) : null)),
    // A click id is text or a number.
    clicks: values.slice(UTM_KEYS.length).map((value) => (typeof value === "string" ? value !== "" : typeof value === "number")),
  };
}

/** What metadata and the url of one event tell together: metadata first. */
export function joinCampaigns(inMetadata: Campaign | null, inUrl: Campaign | null): Campaign | null {
  if (inMetadata === null || inUrl === null) return inMetadata ?? inUrl;
  return {
    utm: inMetadata.utm.map((value, at) => value ?? inUrl.utm[at] ?? null),
    clicks: inMetadata.clicks.map((isThere, at) => isThere || inUrl.clicks[at] === true),
  };
}

/** Null for white space alone. */
function trimmed(text: string): string | null {
  const value = text.trim();
  return value === "" ? null : value;
}

/** What the query of a url tells; null where it tells nothing. */
export function readQuery(url: string): Campaign | null {
  const [page = ""] = url.split("#", 1);
  const start = page.indexOf("?");
  if (start === -1) return null;
  // With an `&` in front a second `?` is no longer taken for the beginning of the query.
  const query = new URLSearchParams(`&${page.slice(start + 1)}`);
  const utm = UTM_KEYS.map((key) => trimmed(query.get(key) ?? ""));
  const clicks = CLICK_KEYS.map((key) => (query.get(key) ?? "") !== "");
  return utm.every((value) => value === null) && !clicks.includes(true) ? null : { utm, clicks };
}

/** Whom a referrer stands for, whatever the own host; null for one that is excluded or no http(s) URL. */
export function readReferrer(referrer: string, { excludedHosts, searchHosts, socialHosts }: TouchRule): Touch | null {
  const host = hostOf(referrer);
  if (host === "" || isAmong(host, excludedHosts)) return null;
  const medium = isAmong(host, searchHosts) ? "organic" : isAmong(host, socialHosts) ? "social" : "referral";
  return { source: host, medium, campaign: null };
}

/** Host of an http(s) URL in lower case, without port and a leading `www.`; `""` for anything else. */
function hostOf(referrer: string): string {
  try {
    const { protocol, hostname } = new URL(referrer);
    return protocol === "https:" || protocol === "http:" ? bareHost(hostname) : "";
  } catch {
    return "";
  }
}

/** In lower case, without port and a leading `www.`. */
export function bareHost(host: string): string {
  return host.toLowerCase().replace(/:\d*$/, "").replace(/^www\./, "");
}

/** Whether a host, or a domain that it lies in, is listed; a last label of `*` stands for any ending. */
function isAmong(host: string, listed: readonly string[]): boolean {
  return listed.some((entry) => (entry.endsWith(".*") ? `.${host}`.includes(`.${entry.slice(0, -1)}`) : `.${host}`.endsWith(`.${entry}`)));
}
