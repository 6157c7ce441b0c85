import { CLICK_KEYS, UTM_KEYS, campaignOfValues, joinCampaigns, touchOfCampaign, type Campaign, type Touch } from "../../answer/touch-of-text.js";
import { codeAt, denseCodes } from "../../../storage/column/column.js";
import type { Dictionaries } from "../../../storage/column/dictionaries.js";
import type { JsonDictionary } from "../../../storage/column/dictionary.js";
import type { TouchRule } from "../../plan/plan.js";
import { metadataColumn, SEQUENCE_COLUMN, TIME_COLUMN } from "../../../core/schema/fields.js";
import type { Rows } from "../../../storage/segment/rows.js";
import { TouchLabels } from "./touch-labels.js";
import { TouchNumbers, TouchTexts } from "./touch-numbers.js";
import { Scratch } from "../../../core/base/scratch.js";
import { atOnce, inTurns } from "../../../core/base/steps.js";
import { yieldAfterSlices } from "../../../core/base/turn.js";
import type { Codes } from "../../../storage/column/codes.js";

/** Reads the touches of single rows. */
export interface TouchReader {
  readonly columns: readonly string[];
  /** The metadata columns among them. */
  readonly metadataColumns: readonly string[];
  /** The touch by campaign parameters or a click id; null for neither. */
  campaign(rows: Rows, row: number): Touch | null;
  /** The same, else by a referrer of another host; null for neither. */
  touch(rows: Rows, row: number): Touch | null;
}

/** Makes the touches of a store, with caches of parsed texts and numbered labels. */
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

  /** A reader for the metadata keys that exist now. */
  reader(): TouchReader {
    return new ColumnTouchReader(this.dictionaries, this.#texts);
  }
}

class ColumnTouchReader implements TouchReader {
  readonly columns: readonly string[];
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

  campaign(rows: Rows, row: number): Touch | null {
    const inUrl = this.texts.campaign(codeAt(rows.column("url"), row));
    const inMetadata = this.#metadataCampaign(rows, row);
    const campaign = joinCampaigns(inMetadata, inUrl);
    return campaign === null ? null : touchOfCampaign(campaign);
  }

  touch(rows: Rows, row: number): Touch | null {
    const campaign = this.campaign(rows, row);
    if (campaign !== null) return campaign;
    const touch = this.texts.referrer(codeAt(rows.column("referrer"), row));
    return touch === null || touch.source === this.texts.host(codeAt(rows.column("hostname"), row)) ? null : touch;
  }

  /** Null for metadata without any of the keys. */
  #metadataCampaign(rows: Rows, row: number): Campaign | null {
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

/**
 * Reads the touches of pinned rows, yielding. Their labels are cached, 1 or 2 bytes a row. Cost: about 10 ns a row; once, about 20 ns more, and 10 µs
 * for each distinct url.
 */
export async function loadTouchFacts(rows: Rows, maker: TouchMaker): Promise<TouchFacts> {
  const numbers = await loadLabels(rows, maker);
  await rows.load([TIME_COLUMN, SEQUENCE_COLUMN, "userId", "anonymousId", "companyId"]);
  return factsOf(rows, numbers);
}

/** Reads the touches of rows in memory. */
export function touchFactsOf(rows: Rows, maker: TouchMaker): TouchFacts {
  return factsOf(rows, labelNumbers(rows, maker));
}

/** The label of each row, 0 for no touch; cached for rows that stay. */
export function labelNumbers(rows: Rows, maker: TouchMaker): Codes {
  return keptLabels(rows, maker, () => Scratch.atOnce((scratch) => atOnce(maker.numbers.ofRows(rows, maker.reader(), scratch))));
}

async function loadLabels(rows: Rows, maker: TouchMaker): Promise<Codes> {
  const reader = maker.reader();
  if (rows.kept(maker.labels.name, []) !== null) return labelNumbers(rows, maker);
  await rows.load(reader.columns);
  const labels = await Scratch.of((scratch) => inTurns(maker.numbers.ofRows(rows, reader, scratch), yieldAfterSlices()));
  return keptLabels(rows, maker, () => labels);
}

function keptLabels(rows: Rows, { labels }: TouchMaker, make: () => Codes): Codes {
  return rows.derive(labels.name, make, ({ byteLength }) => byteLength);
}

function factsOf(rows: Rows, labels: Codes): TouchFacts {
  const codesOf = (name: string) => denseCodes(rows.column(name));
  const [users, anonymous, companies] = [codesOf("userId"), codesOf("anonymousId"), codesOf("companyId")];
  return { labels, sequences: rows.sequences(), times: rows.times(), users, anonymous, companies };
}
