import { canonicalJson, isSetJson } from "../../query/filter/value-test.js";
import { TAG } from "../sql/value-test.js";
import { keyColumns, pathColumns, remembered, type MetadataColumns } from "../tables/layout.js";
import { CLICK_KEYS, UTM_KEYS, campaignOfValues, joinCampaigns, readQuery, touchOfCampaign } from "../../query/answer/touch-of-text.js";
import { shown } from "../../core/base/errors.js";
import { dayOf } from "../../core/base/time.js";
import { uuidText } from "../../core/base/uuid.js";
import { DecodedEvents, EventFault, decodeEvent, textFault, type DecodeContext } from "../../core/schema/decode-event.js";
import { FIELDS, fieldIndex, slugOf, type FieldRow } from "../../core/schema/fields.js";
import { comparedHost, referrerDomainOf, sourceOfReferrer } from "../../core/schema/web-address.js";

/** Columns of metadata: tagged values, and the leaves of arrays and objects. */
export type TaggedMetadata = Record<string, string | readonly string[]>;

/** Metadata as columns: each value under its key, and nested values also under their path. @param texts JSON texts of the values */
function taggedMetadata(keys: readonly string[], texts: readonly string[]): TaggedMetadata {
  const columns: TaggedMetadata = {};
  keys.forEach((key, at) => {
    const json = texts[at] as string;
    const value: unknown = JSON.parse(json);
    put(columns, keyColumns(key), value, json);
    if (!key.includes(".")) putBelow(columns, key, value);
  });
  return columns;
}

function putBelow(columns: TaggedMetadata, path: string, value: unknown): void {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return;
  for (const [key, member] of Object.entries(value)) {
    if (key.includes(".")) continue;
    const below = `${path}.${key}`;
    put(columns, pathColumns(below), member, "");
    putBelow(columns, below, member);
  }
}

/** @param json text to store for an array or object */
function put(columns: TaggedMetadata, { value: column, leaves: leavesColumn }: MetadataColumns, value: unknown, json: string): void {
  if (typeof value !== "object" || value === null) {
    columns[column] = scalarOf(value);
    return;
  }
  columns[column] = (Array.isArray(value) ? TAG.array : TAG.object) + json;
  const leaves = leavesOf(value);
  if (leaves.length > 0) columns[leavesColumn] = leaves;
}

function scalarOf(value: unknown): string {
  if (typeof value === "string") return TAG.text + value;
  if (typeof value === "number") return TAG.number + JSON.stringify(value);
  return typeof value === "boolean" ? TAG.boolean + String(value) : TAG.null;
}

export function taggedLeaves(value: unknown): string[] {
  return isSetJson(value) ? leavesOf(value) : [];
}

/** The set elements of an array, including nested arrays; an object is one leaf, with its keys in order. */
function leavesOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.filter(isSetJson).flatMap(leavesOf);
  return [typeof value === "object" && value !== null ? TAG.object + canonicalJson(value) : scalarOf(value)];
}

export function jsonOfTagged(tagged: string): string {
  const text = tagged.slice(1);
  if (tagged.startsWith(TAG.text)) return JSON.stringify(text);
  return tagged.startsWith(TAG.null) ? "null" : text;
}

export interface EventRow extends Readonly<Record<string, unknown>> {
  readonly id: string;
  readonly ms: number;
}

const slugOfName = remembered(slugOf);
const domainOfReferrer = remembered(referrerDomainOf);
/** By referrer alone: the query decides which hosts count. */
const hostOfReferrer = remembered(sourceOfReferrer);
const ownHost = remembered(comparedHost);
/** Boxed: null is a result too. */
const campaignOfUrl = remembered((url) => ({ campaign: readQuery(url) }));

const [NAME, REFERRER, URL_FIELD, HOSTNAME] = ["name", "referrer", "url", "hostname"].map(fieldIndex) as [number, number, number, number];
const CAMPAIGN_KEYS = [...UTM_KEYS, ...CLICK_KEYS];

/** Converts events to rows with the decoder of the embedded engine, so that both accept and reject the same. */
export class EventRows {
  readonly #decoded = new DecodedEvents();

  /** Whether the last row got the time of receipt because its own was too far ahead. */
  get isAdjusted(): boolean {
    return this.#decoded.adjusted[0] === 1;
  }

  rowOf(event: unknown, context: Omit<DecodeContext, "knownKeys">): EventRow | EventFault {
    const decoded = this.#decoded;
    const fault = readSafely(event, { ...context, knownKeys: () => null }, decoded) ?? faultOfTexts(decoded);
    return fault ?? rowOfDecoded(decoded);
  }
}

/** Getters and proxies run the caller's code: what it throws rejects that event only. */
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

/** Unset fields are left out: the table fills them in. */
function rowOfDecoded(decoded: DecodedEvents): EventRow {
  const ms = decoded.times[0] as number;
  const { members } = decoded;
  const [keys, texts] = [members.keys.slice(0, members.count), members.texts.slice(0, members.count)];
  const id = uuidText(decoded.ids, 0);
  const row: { id: string; ms: number; [column: string]: unknown } = { id, day: dayOf(ms), ms, metadata: taggedMetadata(keys, texts), keys };
  for (let index = 0; index < FIELDS.length; index += 1) {
    const text = decoded.text(0, index);
    if (text !== "") row[(FIELDS[index] as FieldRow).column] = text;
  }
  row["slug"] ??= slugOfName(decoded.text(0, NAME));
  const referrer = decoded.text(0, REFERRER);
  if (referrer !== "") row["referrerDomain"] = domainOfReferrer(referrer);
  addTouch(row, decoded, keys, texts);
  return row;
}

function addTouch(row: Record<string, unknown>, decoded: DecodedEvents, keys: readonly string[], texts: readonly string[]): void {
  const values = CAMPAIGN_KEYS.map((key) => {
    const place = keys.indexOf(key);
    return place === -1 ? undefined : (JSON.parse(texts[place] as string) as unknown);
  });
  const campaign = joinCampaigns(campaignOfValues(values), campaignOfUrl(decoded.text(0, URL_FIELD)).campaign);
  const touch = campaign === null ? null : touchOfCampaign(campaign);
  if (touch !== null) {
    row["isCampaign"] = true;
    row["touchSource"] = touch.source ?? "";
    row["touchMedium"] = touch.medium ?? "";
    row["touchCampaign"] = touch.campaign ?? "";
  }
  const host = hostOfReferrer(decoded.text(0, REFERRER));
  if (host !== "" && host !== ownHost(decoded.text(0, HOSTNAME))) row["touchHost"] = host;
}
