import type { Person } from "./people.js";

/** Something that somebody did, and that Daybook has to know. */
export interface Fact {
  readonly ms: number;
  /** `$identify` is no event: it tells who an anonymous visitor is. */
  readonly name: string;
  readonly path: string;
  /** With its `?`; or nothing. */
  readonly query: string;
  readonly referrer: string;
  readonly anonymousId: string;
  readonly userId: string | null;
  readonly plan: string | null;
  readonly person: Person;
}

export interface Visit {
  readonly who: string;
  readonly facts: readonly Fact[];
}

const PAUSE_MS = 30 * 60_000;
const LONGEST_MS = 24 * 3_600_000;

/** Everything that happened, in the order of time, and whose each event is. */
export class Books {
  readonly events: readonly (Fact & { readonly who: string })[];
  readonly visits: readonly Visit[];

  constructor(facts: readonly Fact[]) {
    const inTime = [...facts].sort((a, b) => a.ms - b.ms);
    const users = new Map<string, string>();
    // The earliest user whom an anonymous id was seen with has it.
    for (const { anonymousId, userId } of inTime) if (userId !== null && !users.has(anonymousId)) users.set(anonymousId, userId);
    const whoOf = ({ anonymousId, userId }: Fact) => `user ${userId ?? users.get(anonymousId) ?? `of ${anonymousId}`}`;
    this.events = inTime.filter(({ name }) => name !== "$identify").map((fact) => ({ ...fact, who: whoOf(fact) }));
    this.visits = [...grouped(this.events, ({ who }) => who)].flatMap(([who, own]) => visitsOf(own).map((part) => ({ who, facts: part })));
  }

  get views() {
    return this.events.filter(({ name }) => name === "pageview");
  }
}

export function grouped<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return groups;
}

function visitsOf(facts: readonly Fact[]): Fact[][] {
  const visits: Fact[][] = [];
  for (const fact of facts) {
    const last = visits.at(-1);
    const start = last?.[0];
    const before = last?.at(-1);
    if (start === undefined || before === undefined || fact.ms - before.ms > PAUSE_MS || fact.ms - start.ms > LONGEST_MS) visits.push([fact]);
    else last?.push(fact);
  }
  return visits;
}

export interface Touch {
  readonly source: string;
  readonly medium: string;
  readonly campaign: string;
}

const DIRECT: Touch = { source: "(direct)", medium: "(none)", campaign: "(none)" };
const NOT_SET = "(not set)";
/** Of the referrers of this walk: what they are. */
const MEDIUMS: Readonly<Record<string, string>> = { "google.com": "organic", "facebook.com": "social", "news.localhost": "referral" };
const PAYMENT_PAGES = ["checkout.stripe.com"];

/** Who brought somebody, as far as this event tells. */
export function touchOf({ query, referrer }: Fact): Touch {
  const parameters = new URLSearchParams(query);
  const [source, medium, campaign] = ["utm_source", "utm_medium", "utm_campaign"].map((name) => parameters.get(name));
  if (source ?? medium ?? campaign) return { source: source ?? NOT_SET, medium: medium ?? NOT_SET, campaign: campaign ?? NOT_SET };
  if (parameters.has("gclid")) return { source: "google", medium: "cpc", campaign: NOT_SET };
  const host = hostOf(referrer);
  if (host === "" || host === "localhost" || PAYMENT_PAGES.includes(host)) return DIRECT;
  return { source: host, medium: MEDIUMS[host] ?? "?", campaign: NOT_SET };
}

export const hostOf = (referrer: string): string => (referrer === "" ? "" : new URL(referrer).hostname.replace(/^www\./, ""));
