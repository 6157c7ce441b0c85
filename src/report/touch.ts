import { codeAt } from "../column/column.js";
import type { CodeColumn } from "../column/column.js";
import type { Dictionaries } from "../column/dictionaries.js";
import type { JsonDictionary } from "../column/dictionary.js";
import type { TouchRule } from "../plan/plan.js";
import { metadataColumn } from "../schema/fields.js";
import type { Rows } from "../segment/rows.js";
import type { ReportContext } from "./report.js";

/** Who brought somebody; null where it is not told. */
export interface Touch {
  readonly source: string | null;
  readonly medium: string | null;
  readonly campaign: string | null;
}

const UTM_KEYS = ["utm_source", "utm_medium", "utm_campaign"] as const;

/** Click ids by what they tell, the first that is there counts. */
const CLICKS: readonly (readonly [key: string, source: string, medium: string])[] = [
  ["gclid", "google", "cpc"],
  ["msclkid", "bing", "cpc"],
  ["fbclid", "facebook", "paid"],
];

const METADATA_KEYS = [...UTM_KEYS, ...CLICKS.map(([key]) => key)];

/** What the query of a url tells. */
interface UrlTouch {
  readonly utm: readonly (string | null)[];
  readonly clicks: readonly boolean[];
}

/** Tells of single rows who brought the visitor. Texts are parsed once per distinct value. */
export interface TouchReader {
  /** Columns that are to be loaded. */
  readonly columns: readonly string[];
  /** By campaign parameters or a click id; null for neither. */
  campaign(rows: Rows, row: number): Touch | null;
  /** The same, else by a referrer of another host; null for a visit without any. */
  touch(rows: Rows, row: number): Touch | null;
}

export function touchReader(rule: TouchRule, { dictionaries }: ReportContext): TouchReader {
  return new Reader(rule, dictionaries);
}

class Reader implements TouchReader {
  readonly columns: readonly string[];
  /** Per metadata key: its dictionary and column; null for a key that no event has. */
  readonly #keys: readonly ({ readonly dictionary: JsonDictionary; readonly name: string } | null)[];
  readonly #urls = new Map<number, UrlTouch | null>();
  readonly #referrers = new Map<number, Touch | null>();
  readonly #hosts = new Map<number, string>();

  constructor(
    readonly rule: TouchRule,
    readonly dictionaries: Dictionaries,
  ) {
    this.#keys = METADATA_KEYS.map((key) => {
      const code = dictionaries.knownKeyCode(key);
      return code < 0 ? null : { dictionary: dictionaries.ofKey(code), name: metadataColumn(code) };
    });
    this.columns = ["url", "referrer", "hostname", ...this.#keys.flatMap((key) => (key === null ? [] : [key.name]))];
  }

  campaign(rows: Rows, row: number): Touch | null {
    const url = this.#urlTouch(codeAt(rows.column("url"), row));
    const [source = null, medium = null, campaign = null] = UTM_KEYS.map((_, at) => this.#text(rows, row, at) ?? url?.utm[at] ?? null);
    if (source !== null || medium !== null || campaign !== null) return { source, medium, campaign };
    const click = CLICKS.find((_, at) => this.#isSet(rows, row, UTM_KEYS.length + at) || url?.clicks[at] === true);
    return click === undefined ? null : { source: click[1], medium: click[2], campaign: null };
  }

  touch(rows: Rows, row: number): Touch | null {
    const campaign = this.campaign(rows, row);
    if (campaign !== null) return campaign;
    const touch = this.#referrerTouch(codeAt(rows.column("referrer"), row));
    return touch === null || touch.source === this.#host(codeAt(rows.column("hostname"), row)) ? null : touch;
  }

  #value(rows: Rows, row: number, key: number): unknown {
    const known = this.#keys[key] ?? null;
    if (known === null) return undefined;
    const column: CodeColumn = rows.column(known.name);
    return column.codes.length === 0 ? undefined : known.dictionary.json(codeAt(column, row));
  }

  #text(rows: Rows, row: number, key: number): string | null {
    const value = this.#value(rows, row, key);
    return typeof value === "string" ? trimmed(value) : null;
  }

  /** A click id is text or a number. */
  #isSet(rows: Rows, row: number, key: number): boolean {
    const value = this.#value(rows, row, key);
    return typeof value === "string" ? value !== "" : typeof value === "number";
  }

  #urlTouch(code: number): UrlTouch | null {
    let touch = this.#urls.get(code);
    if (touch === undefined) {
      touch = readQuery(this.dictionaries.named("url").valueOf(code));
      this.#urls.set(code, touch);
    }
    return touch;
  }

  #referrerTouch(code: number): Touch | null {
    let touch = this.#referrers.get(code);
    if (touch === undefined) {
      touch = this.#readReferrer(this.dictionaries.named("referrer").valueOf(code));
      this.#referrers.set(code, touch);
    }
    return touch;
  }

  #readReferrer(referrer: string): Touch | null {
    const host = hostOf(referrer);
    if (host === "" || isAmong(host, this.rule.excludedHosts)) return null;
    const medium = isAmong(host, this.rule.searchHosts) ? "organic" : isAmong(host, this.rule.socialHosts) ? "social" : "referral";
    return { source: host, medium, campaign: null };
  }

  #host(code: number): string {
    let host = this.#hosts.get(code);
    if (host === undefined) {
      host = bareHost(this.dictionaries.named("hostname").valueOf(code));
      this.#hosts.set(code, host);
    }
    return host;
  }
}

function trimmed(text: string): string | null {
  const value = text.trim();
  return value === "" ? null : value;
}

/** Null for a url whose query tells nothing. */
function readQuery(url: string): UrlTouch | null {
  const [page = ""] = url.split("#", 1);
  const start = page.indexOf("?");
  if (start === -1) return null;
  const query = new URLSearchParams(page.slice(start + 1));
  const utm = UTM_KEYS.map((key) => trimmed(query.get(key) ?? ""));
  const clicks = CLICKS.map(([key]) => (query.get(key) ?? "") !== "");
  return utm.every((value) => value === null) && !clicks.includes(true) ? null : { utm, clicks };
}

/** Host of an http(s) URL in lower case, without port and a leading `www.`; `""` for anything else. */
function hostOf(referrer: string): string {
  if (!/^https?:\/\//i.test(referrer)) return "";
  try {
    return bareHost(new URL(referrer).hostname);
  } catch {
    return "";
  }
}

function bareHost(host: string): string {
  return host.toLowerCase().replace(/:\d*$/, "").replace(/^www\./, "");
}

/** Whether a host, or a domain that it lies in, is listed. */
function isAmong(host: string, listed: readonly string[]): boolean {
  const labels = host.split(".");
  return labels.some((label, at) => {
    const domain = labels.slice(at).join(".");
    return listed.some((entry) => entry === domain || (entry.endsWith(".*") && label === entry.slice(0, -2) && at < labels.length - 1 && labels.length - at <= 3));
  });
}
