import { CLICK_KEYS, UTM_KEYS, bareHost, campaignOfValues, joinCampaigns } from "../../answer/touch-of-text.js";
import { readQuery, readReferrer, touchOfCampaign } from "../../answer/touch-of-text.js";
import { shown } from "../../base/errors.js";
import { dayOf } from "../../base/time.js";
import { uuidText } from "../../base/uuid.js";
import { referrerDomainOf } from "../../filter/operand-value.js";
import { DecodedEvents, EventFault, decodeEvent, textFault, type DecodeContext } from "../../schema/decode-event.js";
import { FIELDS, fieldIndex } from "../../schema/fields.js";
import { slugOf } from "../../schema/slug.js";
import { taggedMetadata } from "./tagged-metadata.js";

/** A row of the table of events, as it is inserted. */
export interface EventRow extends Readonly<Record<string, unknown>> {
  readonly id: string;
}

/** Every referrer is looked at by itself: which hosts count is settled by the question. */
const ANY_HOST = { excludedHosts: [], searchHosts: [], socialHosts: [], lookbackMs: null };

const at = Object.fromEntries(FIELDS.map(({ column }) => [column, fieldIndex(column)]));
const fieldAt = (column: string) => at[column] as number;

/** Turns events into rows by the decoding of the embedded engine, which accepts and refuses the same. */
export class EventRows {
  readonly #decoded = new DecodedEvents();

  /** The row of an event, or what is wrong with it. */
  rowOf(event: unknown, context: Omit<DecodeContext, "knownKeys">): EventRow | EventFault {
    const decoded = this.#decoded;
    const fault = readSafely(event, { ...context, knownKeys: () => null }, decoded) ?? faultOfTexts(decoded);
    return fault ?? rowOfDecoded(decoded);
  }
}

/** Getters and proxies run code of the caller's: what it throws is a fault of that event alone. */
function readSafely(event: unknown, context: DecodeContext, into: DecodedEvents): EventFault | null {
  try {
    return decodeEvent(event, context, into, 0);
  } catch (error) {
    return new EventFault("invalid_event", `reading the event failed: ${shown(error instanceof Error ? error.message : error)}`);
  }
}

function faultOfTexts(decoded: DecodedEvents): EventFault | null {
  for (const [index, field] of FIELDS.entries()) {
    const fault = textFault(decoded.text(0, index), field);
    if (fault !== null) return fault;
  }
  return null;
}

function rowOfDecoded(decoded: DecodedEvents): EventRow {
  const ms = decoded.times[0] as number;
  const text = (column: string) => decoded.text(0, fieldAt(column));
  const { members } = decoded;
  const [keys, texts] = [members.keys.slice(0, members.count), members.texts.slice(0, members.count)];
  const fields = Object.fromEntries(FIELDS.map(({ column }) => [column, text(column)]));
  return {
    ...fields,
    slug: text("slug") === "" ? slugOf(text("name")) : text("slug"),
    day: dayOf(ms),
    ms,
    id: uuidText(decoded.ids, 0),
    metadata: taggedMetadata(keys, texts),
    keys,
    referrerDomain: referrerDomainOf(text("referrer")),
    ...touchOf(text, keys, texts),
  };
}

/** Who brought the visit, as far as the event tells by itself. */
function touchOf(text: (column: string) => string, keys: readonly string[], texts: readonly string[]) {
  const values = [...UTM_KEYS, ...CLICK_KEYS].map((key) => {
    const place = keys.indexOf(key);
    return place === -1 ? undefined : (JSON.parse(texts[place] as string) as unknown);
  });
  const campaign = joinCampaigns(campaignOfValues(values), readQuery(text("url")));
  const touch = campaign === null ? null : touchOfCampaign(campaign);
  const host = readReferrer(text("referrer"), ANY_HOST)?.source ?? "";
  return {
    isCampaign: touch !== null,
    touchSource: touch?.source ?? "",
    touchMedium: touch?.medium ?? "",
    touchCampaign: touch?.campaign ?? "",
    touchHost: host === bareHost(text("hostname")) ? "" : host,
  };
}
