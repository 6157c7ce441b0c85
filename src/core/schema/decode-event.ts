import { LIMITS } from "../base/limits.js";
import { shown, type ErrorCode } from "../base/errors.js";
import { isUnusableId, numericIdFault } from "../base/json-text.js";
import { writeUuidOfText, writeUuidV7 } from "../base/uuid.js";
import { FIELDS, FIELD_COUNT, fieldIndex, DEFAULT_PROJECT, type FieldRow } from "./fields.js";
import { MetadataMembers, readMetadata, utf8Length, type KnownKeys } from "./metadata.js";
import { instantOf, instantFault, storedMsOf, type ReceiptContext } from "./instant.js";
import { isPath, referrerOf, splitAddress } from "./web-address.js";

export class EventFault {
  constructor(
    readonly code: ErrorCode,
    readonly message: string,
  ) {}
}

export interface DecodeContext extends ReceiptContext {
  /** The only project that events may belong to; null: any. */
  readonly project: string | null;
  /** Fills an array with random bytes, for the ids of events sent without one. */
  readonly random: (bytes: Uint8Array) => void;
  readonly knownKeys: KnownKeys;
}

/** Events decoded before their texts are looked up: few enough to stay in the processor's cache. */
export const DECODED_ROW_COUNT = 256;

/** A batch of decoded events. Reused: copy any value you keep. */
export class DecodedEvents {
  /** A block of `DECODED_ROW_COUNT` per entry of `FIELDS`; `""` if not set, arbitrary in rows with a fault. The slug is as given. */
  readonly texts: string[] = new Array<string>(DECODED_ROW_COUNT * FIELD_COUNT).fill("");
  /** Epoch ms. */
  readonly times = new Float64Array(DECODED_ROW_COUNT);
  /** 1 for rows stored at the time of receipt because their own time was too far in the future. */
  readonly adjusted = new Uint8Array(DECODED_ROW_COUNT);
  /** 16 bytes per row. */
  readonly ids = new Uint8Array(DECODED_ROW_COUNT * 16);
  /** Metadata of all rows: a row's members are those from its start to its end. Dropping a row's members does not move the others. */
  readonly members = new MetadataMembers();
  readonly memberEnds = new Uint32Array(DECODED_ROW_COUNT);
  readonly #memberStarts = new Uint32Array(DECODED_ROW_COUNT);
  /** Member names of the previous event and their meaning: the next event mostly has the same members in the same order. */
  readonly recentNames: string[] = [];
  readonly recentMembers: number[] = [];

  text(row: number, field: number): string {
    return this.texts[field * DECODED_ROW_COUNT + row] as string;
  }

  /** Leaves a row without metadata, discarding what was read so far. */
  skip(row: number): void {
    const start = row === 0 ? 0 : (this.memberEnds[row - 1] as number);
    this.members.count = start;
    this.#memberStarts[row] = start;
    this.memberEnds[row] = start;
  }

  memberStart(row: number): number {
    return this.#memberStarts[row] as number;
  }
}

const NAME = fieldIndex("name");
const PROJECT = fieldIndex("project");
const NOTIFY = fieldIndex("notify");
const URL_FIELD = fieldIndex("url");
const HOSTNAME = fieldIndex("hostname");
const REFERRER = fieldIndex("referrer");

/** Members that are not in `FIELDS`. */
const ID = FIELD_COUNT;
const TIME = FIELD_COUNT + 1;
const METADATA = FIELD_COUNT + 2;

/** One bit per entry of `FIELDS`, which has at most 31. */
const ALL_FIELDS = 2 ** FIELD_COUNT - 1;

const MEMBERS: ReadonlyMap<string, number> = new Map([
  ...FIELDS.flatMap(({ camel, aliases }, index) => [camel, ...aliases].map((name): [string, number] => [name, index])),
  ["id", ID],
  ["createdAt", TIME],
  ["created_at", TIME],
  ["timestamp", TIME],
  ["metadata", METADATA],
]);

const KNOWN_NAMES = ["id", "createdAt", "metadata", ...FIELDS.map(({ camel }) => camel)].join(", ");

const TAKES_TEXT: readonly boolean[] = FIELDS.map(({ accepts }) => accepts === "text" || accepts === "id" || accepts === "textOrNumber");

const RECENT_NAMES_MAX = 64;

/** Returns the fault if there is one. The rows before must be filled; new texts still have to pass `textFault`. */
export function decodeEvent(input: unknown, context: DecodeContext, into: DecodedEvents, row: number): EventFault | null {
  into.skip(row);
  const fault = readEvent(input, context, into, row);
  if (fault === null) into.memberEnds[row] = into.members.count;
  else into.skip(row);
  return fault;
}

function readEvent(input: unknown, context: DecodeContext, into: DecodedEvents, row: number): EventFault | null {
  if (typeof input !== "object" || input === null || Array.isArray(input))
    return fault(`expected an object, got ${shown(input)}`);
  const event = input as Readonly<Record<string, unknown>>;
  const { texts, recentNames, recentMembers } = into;
  let id: unknown = null;
  let time: unknown = null;
  let metadata: unknown = null;
  let place = 0;
  // One bit per field that has a text: the texts of all other fields are left over from an earlier event.
  let setFields = 0;
  for (const name in event) {
    const value = event[name];
    let member: number | undefined = recentMembers[place];
    if (recentNames[place] !== name) {
      member = MEMBERS.get(name);
      if (member !== undefined) {
        recentNames[place] = name;
        recentMembers[place] = member;
      }
    }
    place = place < RECENT_NAMES_MAX ? place + 1 : 0;
    if (value === undefined || (value === null && member !== undefined)) continue;
    if (member === undefined) {
      if (Object.hasOwn(event, name)) return unknownMember(name);
    } else if (member < FIELD_COUNT) {
      const text = typeof value === "string" && TAKES_TEXT[member] === true ? value : fieldText(FIELDS[member] as FieldRow, value);
      if (text === null) return wrongType(FIELDS[member] as FieldRow, value);
      const at = member * DECODED_ROW_COUNT + row;
      const bit = 1 << member;
      if ((setFields & bit) === 0) texts[at] = text;
      else if (texts[at] !== text) return fault(`${name}: contradicts ${(FIELDS[member] as FieldRow).camel}`);
      if (text !== "") setFields |= bit;
    } else if (member === ID) id = value;
    else if (member === METADATA) metadata = value;
    else if (time !== null && time !== value) return fault(`${name}: contradicts another time`);
    else time = value;
  }
  clearTexts(texts, row, ALL_FIELDS & ~setFields);
  return (
    settleFields(context, texts, row) ??
    readId(id, context, into.ids, row * 16) ??
    readTime(time, context, into, row) ??
    metadataFault(metadata, context, into.members)
  );
}

/** @param fields one bit per field */
function clearTexts(texts: string[], row: number, fields: number): void {
  // Drops the lowest bit on each pass.
  for (let rest = fields; rest !== 0; rest &= rest - 1) texts[(31 - Math.clz32(rest & -rest)) * DECODED_ROW_COUNT + row] = "";
}

function unknownMember(name: string): EventFault {
  if (name === "identityId") return fault("identityId: cannot be set, as it is derived from userId, anonymousId and records");
  return fault(`${shown(name)}: not a member of an event; known: ${KNOWN_NAMES}`);
}

function fault(message: string): EventFault {
  return new EventFault("invalid_event", message);
}

const EXPECTED = {
  text: "text",
  id: "text or a number",
  textOrNumber: "text or a number",
  boolean: "true or false",
  number: "a finite number",
} as const;

function wrongType(field: FieldRow, value: unknown): EventFault {
  return fault(`${field.camel}: ${numericIdFault(field.camel, value) ?? `expected ${EXPECTED[field.accepts]}, got ${shown(value)}`}`);
}

/** The text of a non-text value, if the field accepts it; else null. */
function fieldText({ accepts }: FieldRow, value: unknown): string | null {
  if (typeof value === "boolean" && accepts === "boolean") return value ? "true" : "false";
  const takesNumber = accepts === "number" || accepts === "textOrNumber" || (accepts === "id" && !isUnusableId(value));
  if (typeof value === "number" && Number.isFinite(value) && takesNumber) return JSON.stringify(value);
  return null;
}

function settleFields(context: DecodeContext, texts: string[], row: number): EventFault | null {
  const name = texts[NAME * DECODED_ROW_COUNT + row] as string;
  if (name === "" || name.length > LIMITS.eventNameChars)
    return fault(`name: expected 1 to ${LIMITS.eventNameChars} characters, got ${shown(name)}`);
  const notifyAt = NOTIFY * DECODED_ROW_COUNT + row;
  if (texts[notifyAt] === "") texts[notifyAt] = "false";
  const projectAt = PROJECT * DECODED_ROW_COUNT + row;
  const project = texts[projectAt] as string;
  if (context.project !== null && project !== "" && project !== context.project)
    return new EventFault("project_not_allowed", `project: this token writes to ${shown(context.project)} only`);
  if (project === "") texts[projectAt] = context.project ?? DEFAULT_PROJECT;
  const url = texts[URL_FIELD * DECODED_ROW_COUNT + row] as string;
  if (url !== "" && !isPath(url)) settlePlace(url, texts, row);
  const referrerAt = REFERRER * DECODED_ROW_COUNT + row;
  const referrer = texts[referrerAt] as string;
  if (referrer !== "") texts[referrerAt] = referrerOf(referrer);
  return null;
}

/** Splits a full address into path and host, as tracking calls send them; a host that was sent is not overwritten. */
function settlePlace(address: string, texts: string[], row: number): void {
  const { url, hostname = "" } = splitAddress(address);
  texts[URL_FIELD * DECODED_ROW_COUNT + row] = url;
  const hostnameAt = HOSTNAME * DECODED_ROW_COUNT + row;
  if (texts[hostnameAt] === "") texts[hostnameAt] = hostname;
}

/** The fault in a text that its field has not had before; null if it is valid. */
export function textFault(text: string, { camel }: FieldRow): EventFault | null {
  if (!text.isWellFormed()) return fault(`${camel}: the text has a lone surrogate`);
  if (text.length * 3 > LIMITS.fieldTextBytes && utf8Length(text) > LIMITS.fieldTextBytes)
    return fault(`${camel}: expected at most ${LIMITS.fieldTextBytes} bytes, got ${utf8Length(text)}`);
  return null;
}

function readId(id: unknown, context: DecodeContext, ids: Uint8Array, at: number): EventFault | null {
  if (id === null || id === "") writeUuidV7(context.nowMs, context.random, ids, at);
  else if (typeof id !== "string") return fault(`id: ${numericIdFault("id", id) ?? `expected text, got ${shown(id)}`}`);
  else if (!id.isWellFormed()) return fault("id: the text has a lone surrogate");
  else writeUuidOfText(id, ids, at);
  return null;
}

function readTime(time: unknown, context: DecodeContext, { times, adjusted }: DecodedEvents, row: number): EventFault | null {
  adjusted[row] = 0;
  // Usually a number in the past; returning early avoids boxing it as "number or null".
  if (typeof time === "number" && time >= LIMITS.instantNumberMinMs && time <= context.nowMs && time < LIMITS.instantMaxMs) {
    times[row] = Math.floor(time);
    return null;
  }
  const ms = time === null ? context.nowMs : instantOf(time);
  if (ms === null) return fault(`createdAt: ${instantFault(time)}`);
  const storedMs = storedMsOf(ms, context);
  times[row] = storedMs;
  if (storedMs !== ms) adjusted[row] = 1;
  return null;
}

function metadataFault(metadata: unknown, context: DecodeContext, members: MetadataMembers): EventFault | null {
  const wrong = readMetadata(metadata, context.knownKeys, members);
  return wrong === null ? null : fault(`metadata${wrong.path}: ${wrong.reason}`);
}
