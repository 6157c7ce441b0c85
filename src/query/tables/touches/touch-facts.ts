/* eslint-disable @typescript-eslint/no-non-null-assertion -- indexes are bounded by their lists */
import { grown, numberIn } from "../../../core/base/arrays.js";
import { Referrers, readQuery, touchOfCampaign, CLICK_KEYS, UTM_KEYS, campaignOfValues, joinCampaigns, type ReferrerTouch, type Touch, type Campaign } from "../../answer/touch-of-text.js";
import type { Dictionaries } from "../../../storage/column/dictionaries.js";
import type { TouchRule } from "../../plan/plan.js";
import { comparedHost } from "../../../core/schema/web-address.js";
import { PairTable } from "../../../core/base/pair-table.js";
import { Scratch } from "../../../core/base/scratch.js";
import { runAtOnce, runYielding, yieldAfterSlices, type Steps } from "../../../core/base/yield.js";
import { allocateCodes, wideCodes, type Codes } from "../../../storage/column/codes.js";
import { denseCodes, codeAt } from "../../../storage/column/column.js";
import type { Rows } from "../../../storage/segment/rows.js";
import type { JsonDictionary } from "../../../storage/column/json-dictionary.js";
import { metadataColumn, SEQUENCE_COLUMN, TIME_COLUMN } from "../../../core/schema/fields.js";

/** Numbers the labels (source, medium, campaign) of a store's touches; 0 is no touch. */
class TouchLabels {
  static #made = 0;
  /** Distinguishes what was derived with these numbers from what was derived with others. */
  readonly name = `touches ${(TouchLabels.#made += 1)}`;
  readonly #labels: (ReferrerTouch | null)[] = [null];
  readonly #numbers = new Map([["no touch", 0]]);

  get count(): number {
    return this.#labels.length;
  }

  numberOf(touch: ReferrerTouch): number {
    const { source, medium, campaign, isSignIn } = touch;
    const number = numberIn(this.#numbers, JSON.stringify([source, medium, campaign, isSignIn]));
    this.#labels[number] ??= touch;
    return number;
  }

  /** Null for no touch. */
  labelOf(number: number): Touch | null {
    return this.#labels[number] ?? null;
  }

  takesRevenue(number: number): boolean {
    return number !== 0 && this.#labels[number]?.isSignIn !== true;
  }
}

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

/** The parsed texts of touches by their codes, each distinct one parsed once. */
class TouchTexts {
  /** Null for a url whose query has no campaign. */
  readonly campaigns: ByCode<Campaign | null>;
  /** Whatever the event's own host; null for a referrer that is no source. */
  readonly referrers: ByCode<ReferrerTouch | null>;
  /** In the form used for comparison. */
  readonly hosts: ByCode<string>;

  constructor(rule: TouchRule, dictionaries: Dictionaries) {
    const [urls, referrers, hostnames] = ["url", "referrer", "hostname"].map((name) => dictionaries.named(name));
    this.campaigns = new ByCode((code) => readQuery(urls!.valueOf(code)));
    const known = new Referrers(rule);
    this.referrers = new ByCode((code) => known.touchOf(referrers!.valueOf(code)));
    this.hosts = new ByCode((code) => comparedHost(hostnames!.valueOf(code)));
  }
}

/** Rows, or some of them, whose columns are in memory. */
export type ReadColumns = Pick<Rows, "rowCount" | "column">;

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
      this.#known = grown(this.#known, Math.max(1_024, code * 2)).fill(UNKNOWN, this.#known.length);
    }
    const made = this.make(code);
    this.#known[code] = made;
    return made;
  }
}

/** Codes are below it. */
const CODE_SPAN = 2 ** 24;
/** Rows per step: about 5 ms when each has its own url. */
const STEP_ROW_COUNT = 512;
const NO_CAMPAIGN = -1;

/** Numbers the labels of whole parts. Results for single codes, and for the campaign metadata of events, are cached. */
class TouchNumbers {
  /** The label of a url's campaign alone; -1 when its query has none. */
  readonly #ofUrl: CodeMemo;
  /** The label of a referrer, whatever the event's own host; 0 for none. */
  readonly #ofReferrer: CodeMemo;
  /** Host numbers of referrers with a label, and of hostnames. */
  readonly #hostOfReferrer: CodeMemo;
  readonly #hostOfHostname: CodeMemo;
  readonly #hosts = new Map<string, number>();
  /** By metadata column: the number of the combination of values up to it, by the number of the combination before it and its code. */
  readonly #pairs = new Map<string, PairTable>();
  #combinationCount = 0;
  /** Labels by number of the metadata combination, for a url without a campaign. */
  readonly #ofMetadata: (number | undefined)[] = [];
  /** Labels by number of the metadata combination and code of the url. */
  readonly #ofBoth = new Map<number, number>();

  constructor(
    readonly labels: TouchLabels,
    texts: TouchTexts,
  ) {
    this.#ofUrl = new CodeMemo((code) => {
      const campaign = texts.campaigns.of(code);
      return campaign === null ? NO_CAMPAIGN : this.#labelOf(touchOfCampaign(campaign));
    });
    this.#ofReferrer = new CodeMemo((code) => (code === 0 ? 0 : this.#labelOf(texts.referrers.of(code))));
    this.#hostOfReferrer = new CodeMemo((code) => numberIn(this.#hosts, texts.referrers.of(code)?.source ?? ""));
    this.#hostOfHostname = new CodeMemo((code) => numberIn(this.#hosts, texts.hosts.of(code)));
  }

  /** The label of each row of a part whose columns are in memory; 0 for no touch. Cost: about 10 ns a row. @param scratch not shared */
  *ofRows(rows: ReadColumns, reader: TouchReader, scratch: Scratch): Steps<Codes> {
    const codesOf = (name: string) => wideCodes(denseCodes(rows.column(name)), scratch);
    const [urls, referrers, hostnames] = [codesOf("url"), codesOf("referrer"), codesOf("hostname")];
    const metadata = this.#metadataOf(rows, reader, scratch);
    const numbers = scratch.take(rows.rowCount);
    for (let row = 0; row < numbers.length; row += 1) {
      if (row % STEP_ROW_COUNT === STEP_ROW_COUNT - 1) yield;
      const combination = metadata === null ? 0 : metadata[row]!;
      const campaign = combination === 0 ? this.#ofUrl.of(urls[row]!) : this.#ofCombination(combination, urls[row]!, row, rows, reader);
      numbers[row] = campaign > 0 ? campaign : this.#ofReferrerAt(referrers[row]!, hostnames[row]!);
    }
    return narrow(numbers, this.labels.count);
  }

  /** The same for one row. @param codeOf its code in a column */
  ofRow(codeOf: (column: string) => number, reader: TouchReader): number {
    let combination = 0;
    for (const name of reader.metadataColumns) {
      const code = codeOf(name);
      if (code !== 0) combination = this.#joined(this.#pairsOf(name), combination, code);
    }
    const url = codeOf("url");
    const row: ReadColumns = { rowCount: 1, column: (name) => ({ kind: "dense", codes: Uint32Array.of(codeOf(name)) }) };
    const campaign = combination === 0 ? this.#ofUrl.of(url) : this.#ofCombination(combination, url, 0, row, reader);
    return campaign > 0 ? campaign : this.#ofReferrerAt(codeOf("referrer"), codeOf("hostname"));
  }

  #ofReferrerAt(referrer: number, hostname: number): number {
    const number = this.#ofReferrer.of(referrer);
    return number !== 0 && this.#hostOfReferrer.of(referrer) === this.#hostOfHostname.of(hostname) ? 0 : number;
  }

  #ofCombination(combination: number, url: number, row: number, rows: ReadColumns, reader: TouchReader): number {
    if (this.#ofUrl.of(url) === NO_CAMPAIGN) return (this.#ofMetadata[combination] ??= this.#labelOf(reader.campaign(rows, row)));
    const pair = combination * CODE_SPAN + url;
    let number = this.#ofBoth.get(pair);
    if (number === undefined) this.#ofBoth.set(pair, (number = this.#labelOf(reader.campaign(rows, row))));
    return number;
  }

  /** A number for each row, the same for the same campaign metadata; 0 for none. Null when no row has any. */
  #metadataOf(rows: ReadColumns, { metadataColumns }: TouchReader, scratch: Scratch): Uint32Array | null {
    let numbers: Uint32Array | null = null;
    for (const name of metadataColumns) {
      const column = rows.column(name);
      if (column.codes.length === 0) continue;
      numbers ??= scratch.takeZeros(rows.rowCount);
      const pairs = this.#pairsOf(name);
      const places = column.kind === "sparse" ? column.rows : null;
      for (let at = 0; at < column.codes.length; at += 1) {
        const code = column.codes[at]!;
        if (code === 0) continue;
        const row = places === null ? at : places[at]!;
        numbers[row] = this.#joined(pairs, numbers[row]!, code);
      }
    }
    return numbers;
  }

  /** The number of a combination and one more code. */
  #joined(pairs: PairTable, combination: number, code: number): number {
    const number = pairs.of(combination, code, this.#combinationCount + 1);
    if (number > this.#combinationCount) this.#combinationCount = number;
    return number;
  }

  #pairsOf(column: string): PairTable {
    let pairs = this.#pairs.get(column);
    if (pairs === undefined) this.#pairs.set(column, (pairs = new PairTable()));
    return pairs;
  }

  #labelOf(touch: Touch | null): number {
    return touch === null ? 0 : this.labels.numberOf(touch);
  }
}

function narrow(numbers: Uint32Array, count: number): Codes {
  const codes = allocateCodes(numbers.length, count - 1);
  codes.set(numbers);
  return codes;
}

export class TouchMaker {
  readonly labels = new TouchLabels();
  readonly numbers: TouchNumbers;
  readonly #texts: TouchTexts;

  constructor(
    readonly rule: TouchRule,
    readonly dictionaries: Dictionaries,
  ) {
    this.#texts = new TouchTexts(rule, dictionaries);
    this.numbers = new TouchNumbers(this.labels, this.#texts);
  }

  reader(): TouchReader {
    return new TouchReader(this.dictionaries, this.#texts);
  }
}

export class TouchReader {
  readonly columns: readonly string[];
  /** Those of `columns` that hold campaign parameters and click ids. */
  readonly metadataColumns: readonly string[];
  /** The dictionary and column of each metadata key; null for a key that no event has. */
  readonly #keys: readonly ({ readonly dictionary: JsonDictionary; readonly name: string } | null)[];

  constructor(
    dictionaries: Dictionaries,
    readonly texts: TouchTexts,
  ) {
    this.#keys = [...UTM_KEYS, ...CLICK_KEYS].map((key) => {
      const code = dictionaries.knownKeyCode(key);
      return code < 0 ? null : { dictionary: dictionaries.ofKey(code), name: metadataColumn(code) };
    });
    this.metadataColumns = this.#keys.flatMap((key) => (key === null ? [] : [key.name]));
    this.columns = ["url", "referrer", "hostname", ...this.metadataColumns];
  }

  /** The touch by campaign parameters or a click id; null for neither. */
  campaign(rows: ReadColumns, row: number): Touch | null {
    const inUrl = this.texts.campaigns.of(codeAt(rows.column("url"), row));
    const inMetadata = this.#metadataCampaign(rows, row);
    const campaign = joinCampaigns(inMetadata, inUrl);
    return campaign === null ? null : touchOfCampaign(campaign);
  }

  /** The same, else by a referrer of another host; null for neither. */
  touch(rows: ReadColumns, row: number): Touch | null {
    const campaign = this.campaign(rows, row);
    if (campaign !== null) return campaign;
    const touch = this.texts.referrers.of(codeAt(rows.column("referrer"), row));
    return touch === null || touch.source === this.texts.hosts.of(codeAt(rows.column("hostname"), row)) ? null : touch;
  }

  #metadataCampaign(rows: ReadColumns, row: number): Campaign | null {
    const values = this.#keys.map((key) => {
      if (key === null) return undefined;
      const code = codeAt(rows.column(key.name), row);
      return code === 0 ? undefined : key.dictionary.json(code);
    });
    return campaignOfValues(values);
  }
}

/** What touches of one segment or head are read from, a value for each row. These are the columns themselves: do not keep them. */
export interface TouchFacts {
  /** Label numbers; 0 for a row that is no touch. */
  readonly labels: Codes;
  readonly sequences: Uint32Array;
  /** Ms of the day. */
  readonly times: Int32Array;
  readonly users: Codes;
  readonly anonymous: Codes;
  /** The company that the event names itself; 0 for none. */
  readonly companies: Codes;
}

/** Rows must be pinned. Labels are cached, 1 or 2 bytes a row. Cost: 10 ns a row; once, 20 ns more, and 10 µs for each distinct url. */
export async function loadTouchFacts(rows: Rows, maker: TouchMaker): Promise<TouchFacts> {
  const numbers = await loadLabels(rows, maker);
  await rows.load([TIME_COLUMN, SEQUENCE_COLUMN, "userId", "anonymousId", "companyId"]);
  return factsOf(rows, numbers);
}

export function touchFactsOf(rows: Rows, maker: TouchMaker): TouchFacts {
  return factsOf(rows, labelNumbers(rows, maker));
}

/** The label of each row, 0 for no touch; cached for rows that stay. */
export function labelNumbers(rows: Rows, maker: TouchMaker): Codes {
  return cachedLabels(rows, maker, () => Scratch.atOnce((scratch) => runAtOnce(maker.numbers.ofRows(rows, maker.reader(), scratch))));
}

async function loadLabels(rows: Rows, maker: TouchMaker): Promise<Codes> {
  const reader = maker.reader();
  if (rows.cached(maker.labels.name, []) !== null) return labelNumbers(rows, maker);
  await rows.load(reader.columns);
  const labels = await Scratch.of((scratch) => runYielding(maker.numbers.ofRows(rows, reader, scratch), yieldAfterSlices()));
  return cachedLabels(rows, maker, () => labels);
}

function cachedLabels(rows: Rows, { labels }: TouchMaker, make: () => Codes): Codes {
  return rows.derive(labels.name, make, ({ byteLength }) => byteLength);
}

function factsOf(rows: Rows, labels: Codes): TouchFacts {
  const codesOf = (name: string) => denseCodes(rows.column(name));
  const [users, anonymous, companies] = [codesOf("userId"), codesOf("anonymousId"), codesOf("companyId")];
  return { labels, sequences: rows.sequences(), times: rows.times(), users, anonymous, companies };
}
