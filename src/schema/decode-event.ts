import { LIMITS } from "../base/limits.js";
import { shown } from "../base/errors.js";
import type { ErrorCode } from "../base/errors.js";
import { writeUuidOfText, writeUuidV7 } from "../base/uuid.js";
import { FIELDS, FIELD_COUNT, fieldIndex } from "./fields.js";
import type { FieldRow } from "./fields.js";
import { readMetadata, utf8Length } from "./metadata.js";
import type { KnownKeys, MetadataRow } from "./metadata.js";
import { EXPECTED_MOMENT, momentOf } from "./moment.js";
import { slugOf } from "./slug.js";

/** Why an event was not accepted. */
export class EventFault {
  constructor(
    readonly code: ErrorCode,
    readonly message: string,
  ) {}
}

/** What is known of a field's values: a value that has a code was checked when it got it. */
export interface KnownValues {
  /** -1 when the value has no code. */
  codeOf(value: string): number;
}

export interface DecodeContext {
  /** Receive time, epoch ms. */
  readonly nowMs: number;
  /** The only project the events may belong to; null: any. */
  readonly project: string | null;
  /** Fills bytes with random bits, for the ids of events that bring none. */
  readonly random: (bytes: Uint8Array) => void;
  /** One per field of `FIELDS`. */
  readonly known: readonly KnownValues[];
  readonly knownKeys: KnownKeys;
}

/** One decoded event. Reused from event to event: whoever keeps a value copies it. */
export class EventRow implements MetadataRow {
  /** Text of each field of `FIELDS`, `""` where not set. */
  readonly texts: string[] = new Array<string>(FIELD_COUNT).fill("");
  /** Code of each text; -1 for a new one. */
  readonly codes = new Int32Array(FIELD_COUNT);
  createdAtMs = 0;
  readonly id = new Uint8Array(16);
  metadataKeys: string[] = [];
  metadataTexts: string[] = [];
  metadataCodes: number[] = [];
}

const NAME = fieldIndex("name");
const SLUG = fieldIndex("slug");
const PROJECT = fieldIndex("project");
const NOTIFY = fieldIndex("notify");

/** Members that are no fields of `FIELDS`. */
const ID = FIELD_COUNT;
const TIME = FIELD_COUNT + 1;
const METADATA = FIELD_COUNT + 2;

/** What each name of a member means, aliases included. */
const MEMBERS: ReadonlyMap<string, number> = new Map([
  ...FIELDS.flatMap(({ camel, aliases }, index) => [camel, ...aliases].map((name): [string, number] => [name, index])),
  ["id", ID],
  ["createdAt", TIME],
  ["created_at", TIME],
  ["timestamp", TIME],
  ["metadata", METADATA],
]);

/** Reads one event into `row`, or says what is wrong with it. Cost: one look-up a member, and one a field. */
export function decodeEvent(input: unknown, context: DecodeContext, row: EventRow): EventFault | null {
  if (typeof input !== "object" || input === null || Array.isArray(input))
    return fault(`expected an object, got ${shown(input)}`);
  const event = input as Readonly<Record<string, unknown>>;
  const { texts } = row;
  texts.fill("");
  let [id, time, metadata]: unknown[] = [null, null, null];
  for (const name in event) {
    const value = event[name];
    const member = MEMBERS.get(name);
    if (value === undefined || (value === null && member !== undefined)) continue;
    if (member === undefined) {
      if (Object.hasOwn(event, name)) return fault(`${shown(name)}: not a member of an event`);
    } else if (member < FIELD_COUNT) {
      const text = typeof value === "string" ? value : fieldText(FIELDS[member] as FieldRow, value);
      if (text === null || !isAccepted(FIELDS[member] as FieldRow, value)) return wrongType(FIELDS[member] as FieldRow, value);
      if (texts[member] !== "" && texts[member] !== text) return fault(`${name}: contradicts ${(FIELDS[member] as FieldRow).camel}`);
      texts[member] = text;
    } else if (member === ID) id = value;
    else if (member === METADATA) metadata = value;
    else if (time !== null && time !== value) return fault(`${name}: contradicts another time`);
    else time = value;
  }
  return settleFields(context, row) ?? readId(id, context, row) ?? readTime(time, context, row) ?? metadataFault(metadata, context, row);
}

function fault(message: string): EventFault {
  return new EventFault("invalid_event", message);
}

const EXPECTED = {
  text: "text",
  textOrNumber: "text or a number",
  boolean: "true or false",
  number: "a finite number",
} as const;

function wrongType(field: FieldRow, value: unknown): EventFault {
  const came = typeof value === "number" ? String(value) : shown(value);
  return fault(`${field.camel}: expected ${EXPECTED[field.accepts]}, got ${came}`);
}

function isAccepted(field: FieldRow, value: unknown): boolean {
  return typeof value !== "string" || field.accepts === "text" || field.accepts === "textOrNumber";
}

function fieldText({ accepts }: FieldRow, value: unknown): string | null {
  if (typeof value === "boolean" && accepts === "boolean") return value ? "true" : "false";
  if (typeof value === "number" && Number.isFinite(value) && (accepts === "number" || accepts === "textOrNumber"))
    return JSON.stringify(value);
  return null;
}

/** What follows from other fields; then the code of every text, and a check of those that have none. */
function settleFields(context: DecodeContext, { texts, codes }: EventRow): EventFault | null {
  const name = texts[NAME] as string;
  if (name === "" || name.length > LIMITS.eventNameChars)
    return fault(`name: expected 1 to ${LIMITS.eventNameChars} characters, got ${shown(name)}`);
  if (texts[SLUG] === "") texts[SLUG] = slugFor(name);
  if (texts[NOTIFY] === "") texts[NOTIFY] = "false";
  const project = texts[PROJECT] as string;
  if (context.project !== null && project !== "" && project !== context.project)
    return new EventFault("project_not_allowed", `project: this token writes to ${shown(context.project)} only`);
  if (project === "") texts[PROJECT] = context.project ?? "default";
  for (let index = 0; index < FIELD_COUNT; index += 1) {
    const text = texts[index] as string;
    const code = text === "" ? 0 : (context.known[index] as KnownValues).codeOf(text);
    codes[index] = code;
    if (code >= 0) continue;
    const wrong = checkText(text, (FIELDS[index] as FieldRow).camel);
    if (wrong !== null) return wrong;
  }
  return null;
}

function checkText(text: string, name: string): EventFault | null {
  if (!text.isWellFormed()) return fault(`${name}: the text has a lone surrogate`);
  if (text.length * 3 > LIMITS.fieldTextBytes && utf8Length(text) > LIMITS.fieldTextBytes)
    return fault(`${name}: expected at most ${LIMITS.fieldTextBytes} bytes, got ${utf8Length(text)}`);
  return null;
}

/** Slugs of names met before; emptied when full, so that hostile names cost no memory. */
const slugs = new Map<string, string>();
const SLUG_COUNT_MAX = 4_096;

function slugFor(name: string): string {
  let slug = slugs.get(name);
  if (slug === undefined) {
    slug = slugOf(name);
    if (slugs.size >= SLUG_COUNT_MAX) slugs.clear();
    slugs.set(name, slug);
  }
  return slug;
}

function readId(id: unknown, context: DecodeContext, row: EventRow): EventFault | null {
  if (id === null || id === "") writeUuidV7(context.nowMs, context.random, row.id, 0);
  else if (typeof id !== "string") return fault(`id: expected text, got ${shown(id)}`);
  else if (!id.isWellFormed()) return fault("id: the text has a lone surrogate");
  else writeUuidOfText(id, row.id, 0);
  return null;
}

function readTime(time: unknown, context: DecodeContext, row: EventRow): EventFault | null {
  const ms = momentOf(time, context.nowMs);
  if (ms === null) return fault(`createdAt: ${EXPECTED_MOMENT}, got ${shown(time)}`);
  row.createdAtMs = ms;
  return null;
}

function metadataFault(metadata: unknown, context: DecodeContext, row: EventRow): EventFault | null {
  const wrong = readMetadata(metadata, context.knownKeys, row);
  return wrong === null ? null : fault(`metadata${wrong.path}: ${wrong.reason}`);
}
