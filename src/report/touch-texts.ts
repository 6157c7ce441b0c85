/* eslint-disable @typescript-eslint/no-non-null-assertion -- places are bounded by the lists */
import type { Dictionaries } from "../column/dictionaries.js";
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

/** What follows from the values of a dictionary, found once each. */
class ByCode<T> {
  readonly #known: (T | undefined)[] = [];

  constructor(readonly make: (code: number) => T) {}

  of(code: number): T {
    const known = this.#known[code];
    if (known !== undefined) return known;
    while (this.#known.length <= code) this.#known.push(undefined);
    return (this.#known[code] = this.make(code));
  }
}

/** What single texts tell about touches: each distinct one is parsed once. */
export class TouchTexts {
  /** By code of the url; null where its query tells nothing. */
  readonly campaigns: ByCode<Campaign | null>;
  /** By code of the referrer, whatever the own host; null where it brought nobody. */
  readonly referrers: ByCode<Touch | null>;
  /** By code of the hostname: in lower case, without port and a leading `www.`. */
  readonly hosts: ByCode<string>;

  constructor(rule: TouchRule, dictionaries: Dictionaries) {
    const [urls, referrers, hostnames] = ["url", "referrer", "hostname"].map((name) => dictionaries.named(name));
    this.campaigns = new ByCode((code) => readQuery(urls!.valueOf(code)));
    this.referrers = new ByCode((code) => readReferrer(referrers!.valueOf(code), rule));
    this.hosts = new ByCode((code) => bareHost(hostnames!.valueOf(code)));
  }
}

/** The touch of a campaign; null where it tells of none. */
export function touchOfCampaign({ utm, clicks }: Campaign): Touch | null {
  const [source = null, medium = null, campaign = null] = utm;
  if (source !== null || medium !== null || campaign !== null) return { source, medium, campaign };
  const click = CLICKS.find((_, at) => clicks[at] === true);
  return click === undefined ? null : { source: click[1], medium: click[2], campaign: null };
}

/** Null for white space alone. */
export function trimmed(text: string): string | null {
  const value = text.trim();
  return value === "" ? null : value;
}

/** Null for a url whose query tells nothing. */
function readQuery(url: string): Campaign | null {
  const [page = ""] = url.split("#", 1);
  const start = page.indexOf("?");
  if (start === -1) return null;
  // With an `&` in front a second `?` is no longer taken for the beginning of the query.
  const query = new URLSearchParams(`&${page.slice(start + 1)}`);
  const utm = UTM_KEYS.map((key) => trimmed(query.get(key) ?? ""));
  const clicks = CLICK_KEYS.map((key) => (query.get(key) ?? "") !== "");
  return utm.every((value) => value === null) && !clicks.includes(true) ? null : { utm, clicks };
}

function readReferrer(referrer: string, { excludedHosts, searchHosts, socialHosts }: TouchRule): Touch | null {
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

function bareHost(host: string): string {
  return host.toLowerCase().replace(/:\d*$/, "").replace(/^www\./, "");
}

/** Whether a host, or a domain that it lies in, is listed; a last label of `*` stands for any ending. */
function isAmong(host: string, listed: readonly string[]): boolean {
  return listed.some((entry) => (entry.endsWith(".*") ? `.${host}`.includes(`.${entry.slice(0, -1)}`) : `.${host}`.endsWith(`.${entry}`)));
}
