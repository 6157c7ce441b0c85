/* eslint-disable @typescript-eslint/no-non-null-assertion -- positions are bounded by the lists */
import { Referrers, readQuery, type Campaign, type ReferrerTouch } from "../../answer/touch-of-text.js";
import type { Dictionaries } from "../../../storage/column/dictionaries.js";
import type { TouchRule } from "../../plan/plan.js";
import { comparedHost } from "../../../core/schema/web-host.js";

/** Caches a result for each code of a dictionary. */
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

/** Parses the texts of touches, each distinct one once. */
export class TouchTexts {
  readonly #campaigns: ByCode<Campaign | null>;
  readonly #referrers: ByCode<ReferrerTouch | null>;
  readonly #hosts: ByCode<string>;

  constructor(rule: TouchRule, dictionaries: Dictionaries) {
    const [urls, referrers, hostnames] = ["url", "referrer", "hostname"].map((name) => dictionaries.named(name));
    this.#campaigns = new ByCode((code) => readQuery(urls!.valueOf(code)));
    const known = new Referrers(rule);
    this.#referrers = new ByCode((code) => known.touchOf(referrers!.valueOf(code)));
    this.#hosts = new ByCode((code) => comparedHost(hostnames!.valueOf(code)));
  }

  /** By code of the url; null when its query has no campaign. */
  campaign(url: number): Campaign | null {
    return this.#campaigns.of(url);
  }

  /** By code of the referrer, whatever the event's own host; null when it is no source. */
  referrer(referrer: number): ReferrerTouch | null {
    return this.#referrers.of(referrer);
  }

  /** By code of the hostname, in the form used for comparison. */
  host(hostname: number): string {
    return this.#hosts.of(hostname);
  }
}
