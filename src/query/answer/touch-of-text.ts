import type { TouchDimension, TouchRule } from "../plan/plan.js";
import { SECOND_LEVELS } from "../plan/report-rules.js";
import { sourceOfReferrer } from "../../core/schema/web-address.js";

/** The attribution of a visit; unknown parts are null. */
export interface Touch {
  readonly source: string | null;
  readonly medium: string | null;
  readonly campaign: string | null;
}

/** The requested part of a touch, or the name for none. */
export function touchName(touch: Touch | null, dimension: TouchDimension): string {
  if (touch === null) return dimension === "source" ? "(direct)" : "(none)";
  return touch[dimension] ?? "(not set)";
}

export interface ReferrerTouch extends Touch {
  /** From a sign-in page: it begins a visit but gets no revenue. */
  readonly isSignIn?: true;
}

/** In order of precedence. */
const LISTS = ["excludedHosts", "signInHosts", "searchHosts", "socialHosts"] as const;
const ANY_ENDING = ".*";
const SECOND_LEVEL = new RegExp(`\\.(?:${SECOND_LEVELS.join("|")})\\.[a-z]{2}$`);

export const UTM_KEYS = ["utm_source", "utm_medium", "utm_campaign"] as const;

/** Click ids with their source and medium; the first that exists counts. */
const CLICKS: readonly (readonly [key: string, source: string, medium: string])[] = [
  ["gclid", "google", "cpc"],
  ["msclkid", "bing", "cpc"],
  ["fbclid", "facebook", "paid"],
];
export const CLICK_KEYS = CLICKS.map(([key]) => key);

/** The campaign in the query of a url, or in metadata: texts by `UTM_KEYS`, and which of `CLICK_KEYS` exist. */
export interface Campaign {
  readonly utm: readonly (string | null)[];
  readonly clicks: readonly boolean[];
}

/** The touch of a campaign; null when it has none. */
export function touchOfCampaign({ utm, clicks }: Campaign): Touch | null {
  const [source = null, medium = null, campaign = null] = utm;
  if (source !== null || medium !== null || campaign !== null) return { source, medium, campaign };
  const click = CLICKS.find((_, at) => clicks[at] === true);
  return click === undefined ? null : { source: click[1], medium: click[2], campaign: null };
}

/** The campaign in metadata values, by `UTM_KEYS` and then `CLICK_KEYS`, undefined for a missing key; null when all are missing. */
export function campaignOfValues(values: readonly unknown[]): Campaign | null {
  if (values.every((value) => value === undefined)) return null;
  return {
    utm: values.slice(0, UTM_KEYS.length).map((value) => (typeof value === "string" ? trimmed(value) : null)),
    // A click id is text or a number.
    clicks: values.slice(UTM_KEYS.length).map((value) => (typeof value === "string" ? value !== "" : typeof value === "number")),
  };
}

/** Joins the campaigns of one event's metadata and url: metadata takes precedence. */
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

/** The campaign in the query of a url; null when it has none. */
export function readQuery(url: string): Campaign | null {
  const [page = ""] = url.split("#", 1);
  const start = page.indexOf("?");
  if (start === -1) return null;
  // The `&` in front keeps a second `?` from being stripped as the beginning of the query.
  const query = new URLSearchParams(`&${page.slice(start + 1)}`);
  const utm = UTM_KEYS.map((key) => trimmed(query.get(key) ?? ""));
  const clicks = CLICK_KEYS.map((key) => (query.get(key) ?? "") !== "");
  return utm.every((value) => value === null) && !clicks.includes(true) ? null : { utm, clicks };
}

/** Classifies referrers under a rule. */
export class Referrers {
  /** By host, by domain, and by domain without its ending: the index of the first of `LISTS` that has it. */
  readonly #hosts = new Map<string, number>();
  readonly #domains = new Map<string, number>();
  readonly #stems = new Map<string, number>();

  constructor(rule: TouchRule) {
    for (const [place, name] of [...LISTS.entries()].reverse()) {
      const { hosts, domains } = rule[name];
      for (const host of hosts) this.#hosts.set(host, place);
      for (const domain of domains) {
        if (domain.endsWith(ANY_ENDING)) this.#stems.set(domain.slice(0, -ANY_ENDING.length), place);
        else this.#domains.set(domain, place);
      }
    }
  }

  /** The touch of a referrer, whatever the event's own host; null when it is excluded, or names no page and no app. Cost: some µs. */
  touchOf(referrer: string): ReferrerTouch | null {
    const source = sourceOfReferrer(referrer);
    if (source === "") return null;
    switch (LISTS[this.#placeOf(source)]) {
      case "excludedHosts":
        return null;
      case "signInHosts":
        return { source, medium: "referral", campaign: null, isSignIn: true };
      case "searchHosts":
        return { source, medium: "organic", campaign: null };
      case "socialHosts":
        return { source, medium: "social", campaign: null };
      default:
        return { source, medium: "referral", campaign: null };
    }
  }

  /** The index of the first of `LISTS` that has a source; Infinity for none. */
  #placeOf(source: string): number {
    const end = Math.max(source.lastIndexOf("."), 0);
    const secondEnd = SECOND_LEVEL.exec(source)?.index ?? 0;
    let place = this.#hosts.get(source) ?? Infinity;
    let from = 0;
    do {
      place = Math.min(place, this.#domains.get(source.slice(from)) ?? Infinity, this.#stems.get(source.slice(from, end)) ?? Infinity);
      if (secondEnd > from) place = Math.min(place, this.#stems.get(source.slice(from, secondEnd)) ?? Infinity);
      from = source.indexOf(".", from) + 1;
    } while (from !== 0);
    return place;
  }
}
