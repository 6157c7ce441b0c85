import { CLICK_KEYS, UTM_KEYS, campaignOfValues, joinCampaigns, touchOfCampaign, type Campaign, type Touch } from "../../answer/touch-of-text.js";
import { codeAt } from "../../../storage/column/column.js";
import type { Dictionaries } from "../../../storage/column/dictionaries.js";
import type { JsonDictionary } from "../../../storage/column/dictionary.js";
import type { TouchRule } from "../../plan/plan.js";
import { metadataColumn } from "../../../core/schema/fields.js";
import type { Rows } from "../../../storage/segment/rows.js";
import { TouchLabels } from "./touch-labels.js";
import { TouchNumbers } from "./touch-numbers.js";
import { TouchTexts } from "./touch-texts.js";

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
