/* eslint-disable @typescript-eslint/no-non-null-assertion -- positions are bounded by the lists */
import { Referrers, readQuery, touchOfCampaign, type Campaign, type ReferrerTouch, type Touch } from "../../answer/touch-of-text.js";
import type { Dictionaries } from "../../../storage/column/dictionaries.js";
import type { TouchRule } from "../../plan/plan.js";
import { comparedHost } from "../../../core/schema/web-address.js";
import { PairTable } from "../../../core/base/pair-table.js";
import type { Scratch } from "../../../core/base/scratch.js";
import type { Steps } from "../../../core/base/steps.js";
import { allocateCodes, wideCodes, type Codes } from "../../../storage/column/codes.js";
import { denseCodes } from "../../../storage/column/column.js";
import type { Rows } from "../../../storage/segment/rows.js";
import type { TouchLabels } from "./touch-labels.js";
import type { TouchReader } from "./touch-facts.js";

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

const UNKNOWN = -2;

/** Caches a whole number from -1 on for each code of a dictionary: 4 bytes a code below the greatest requested. */
class CodeMemo {
  #known = new Int32Array(0);

  constructor(readonly make: (code: number) => number) {}

  of(code: number): number {
    const known = code < this.#known.length ? (this.#known[code] as number) : UNKNOWN;
    return known === UNKNOWN ? this.#find(code) : known;
  }

  #find(code: number): number {
    if (code >= this.#known.length) {
      const grown = new Int32Array(Math.max(1_024, code * 2)).fill(UNKNOWN);
      grown.set(this.#known);
      this.#known = grown;
    }
    const made = this.make(code);
    this.#known[code] = made;
    return made;
  }
}

/** Codes are below this. */
const CODE_SPAN = 2 ** 24;
/** Rows per step: about 5 ms when each has its own url. */
const STEP_ROW_COUNT = 512;
/** Marks a url whose query has no campaign. */
const NO_CAMPAIGN = -1;

/** Numbers the labels of whole parts. Results for single codes, and for the campaign metadata of events, are cached. */
export class TouchNumbers {
  /** The label of a url's campaign alone; -1 when its query has none. */
  readonly #ofUrl: CodeMemo;
  /** The label of a referrer, whatever the event's own host; 0 for none. */
  readonly #ofReferrer: CodeMemo;
  /** Host numbers of referrers with a label, and of hostnames. */
  readonly #hostOfReferrer: CodeMemo;
  readonly #hostOfHostname: CodeMemo;
  readonly #hosts = new Map<string, number>();
  /** By metadata column: the number of the combination of values up to it, by the number of the combination before it and its code. */
  readonly #tellings = new Map<string, PairTable>();
  #tellingCount = 0;
  /** Labels by number of the metadata combination, for a url without a campaign. */
  readonly #ofMetadata: (number | undefined)[] = [];
  /** Labels by number of the metadata combination and code of the url. */
  readonly #ofBoth = new Map<number, number>();

  constructor(
    readonly labels: TouchLabels,
    texts: TouchTexts,
  ) {
    this.#ofUrl = new CodeMemo((code) => {
      const campaign = texts.campaign(code);
      return campaign === null ? NO_CAMPAIGN : this.#labelOf(touchOfCampaign(campaign));
    });
    this.#ofReferrer = new CodeMemo((code) => (code === 0 ? 0 : this.#labelOf(texts.referrer(code))));
    this.#hostOfReferrer = new CodeMemo((code) => this.#numberOfHost(texts.referrer(code)?.source ?? ""));
    this.#hostOfHostname = new CodeMemo((code) => this.#numberOfHost(texts.host(code)));
  }

  /** The label of each row of a part whose columns are in memory; 0 for no touch. Cost: about 10 ns a row. @param scratch not shared */
  *ofRows(rows: Rows, reader: TouchReader, scratch: Scratch): Steps<Codes> {
    const codesOf = (name: string) => wideCodes(denseCodes(rows.column(name)), scratch);
    const [urls, referrers, hostnames] = [codesOf("url"), codesOf("referrer"), codesOf("hostname")];
    const metadata = this.#metadataOf(rows, reader, scratch);
    const numbers = scratch.take(rows.rowCount);
    for (let row = 0; row < numbers.length; row += 1) {
      if (row % STEP_ROW_COUNT === STEP_ROW_COUNT - 1) yield;
      const told = metadata === null ? 0 : metadata[row]!;
      let number = told === 0 ? this.#ofUrl.of(urls[row]!) : this.#ofTold(told, urls[row]!, row, rows, reader);
      if (number <= 0) {
        const referrer = referrers[row]!;
        number = this.#ofReferrer.of(referrer);
        if (number !== 0 && this.#hostOfReferrer.of(referrer) === this.#hostOfHostname.of(hostnames[row]!)) number = 0;
      }
      numbers[row] = number;
    }
    return narrow(numbers, this.labels.count);
  }

  /** The label of an event with campaign metadata. */
  #ofTold(told: number, url: number, row: number, rows: Rows, reader: TouchReader): number {
    if (this.#ofUrl.of(url) === NO_CAMPAIGN) return (this.#ofMetadata[told] ??= this.#labelOf(reader.campaign(rows, row)));
    const pair = told * CODE_SPAN + url;
    let number = this.#ofBoth.get(pair);
    if (number === undefined) this.#ofBoth.set(pair, (number = this.#labelOf(reader.campaign(rows, row))));
    return number;
  }

  /** A number for each row, the same for the same campaign metadata; 0 for none. Null when no row has any. */
  #metadataOf(rows: Rows, { metadataColumns }: TouchReader, scratch: Scratch): Uint32Array | null {
    let numbers: Uint32Array | null = null;
    for (const name of metadataColumns) {
      const column = rows.column(name);
      if (column.codes.length === 0) continue;
      numbers ??= scratch.takeZeros(rows.rowCount);
      const tellings = this.#tellingsOf(name);
      const places = column.kind === "sparse" ? column.rows : null;
      for (let at = 0; at < column.codes.length; at += 1) {
        const code = column.codes[at]!;
        if (code === 0) continue;
        const row = places === null ? at : places[at]!;
        const number = tellings.of(numbers[row]!, code, this.#tellingCount + 1);
        if (number > this.#tellingCount) this.#tellingCount = number;
        numbers[row] = number;
      }
    }
    return numbers;
  }

  #tellingsOf(column: string): PairTable {
    let tellings = this.#tellings.get(column);
    if (tellings === undefined) this.#tellings.set(column, (tellings = new PairTable()));
    return tellings;
  }

  #labelOf(touch: Touch | null): number {
    return touch === null ? 0 : this.labels.numberOf(touch);
  }

  #numberOfHost(host: string): number {
    let number = this.#hosts.get(host);
    if (number === undefined) this.#hosts.set(host, (number = this.#hosts.size + 1));
    return number;
  }
}

function narrow(numbers: Uint32Array, count: number): Codes {
  const codes = allocateCodes(numbers.length, count - 1);
  codes.set(numbers);
  return codes;
}
