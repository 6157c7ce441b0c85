import { LIMITS } from "../base/limits.js";
import { shown } from "../base/errors.js";
import type { ErrorCode } from "../base/errors.js";
import { parseTimestamp } from "../base/time.js";
import { writeUuidOfText, writeUuidV7 } from "../base/uuid.js";
import { FIELDS, FIELD_COUNT, fieldIndex } from "./fields.js";
import { MetadataFault, metadataTexts, utf8Length } from "./metadata.js";
import { slugOf } from "./slug.js";

/** Why an event was not accepted. */
export class EventFault {
  constructor(
    readonly code: ErrorCode,
    readonly message: string,
  ) {}
}

export interface DecodeContext {
  /** Receive time, epoch ms. */
  readonly nowMs: number;
  /** The only project the events may belong to; null: any. */
  readonly project: string | null;
  /** Fills bytes with random bits, for the ids of events that bring none. */
  readonly random: (bytes: Uint8Array) => void;
}

/** One decoded event. Reused from event to event: whoever keeps a value copies it. */
export class EventRow {
  /** Text of each field of `FIELDS`, `""` where not set. */
  readonly texts: string[] = new Array<string>(FIELD_COUNT).fill("");
  createdAtMs = 0;
  readonly id = new Uint8Array(16);
  metadataKeys: readonly string[] = [];
  metadataTexts: readonly string[] = [];
}

const NAME = fieldIndex("name");
const SLUG = fieldIndex("slug");
const PROJECT = fieldIndex("project");
const NOTIFY = fieldIndex("notify");

type Input = Readonly<Record<string, unknown>>;

/** Reads one event into `row`, or says what is wrong with it. Constant work per member. */
export function decodeEvent(input: unknown, context: DecodeContext, row: EventRow): EventFault | null {
  if (typeof input !== "object" || input === null || Array.isArray(input))
    return new EventFault("invalid_event", `expected an object, got ${shown(input)}`);
  const event = input as Input;
  let seen = 0;
  for (let index = 0; index < FIELD_COUNT; index += 1) {
    const field = FIELDS[index] as (typeof FIELDS)[number];
    let value = event[field.camel];
    if (value !== undefined) seen += 1;
    for (const alias of field.aliases) {
      const other = event[alias];
      if (other === undefined) continue;
      seen += 1;
      if (value === undefined || value === null) value = other;
      else if (other !== null && other !== value)
        return new EventFault("invalid_event", `${alias}: contradicts ${field.camel}`);
    }
    const text = typeof value === "string" ? value : fieldText(value, field.accepts);
    if (text === null || (typeof value === "string" && (field.accepts === "boolean" || field.accepts === "number")))
      return new EventFault("invalid_event", `${field.camel}: expected ${expectedOf[field.accepts]}, got ${shown(value)}`);
    if (text !== row.texts[index]) {
      const fault = checkText(text, field.camel);
      if (fault !== null) return fault;
      row.texts[index] = text;
    }
  }
  const counted = decodeFixed(event, context, row);
  if (counted instanceof EventFault) return counted;
  return counted + seen === definedCount(event) ? null : unknownMember(event);
}

const expectedOf = {
  text: "text",
  textOrNumber: "text or a number",
  boolean: "true or false",
  number: "a finite number",
} as const;

function fieldText(value: unknown, accepts: (typeof FIELDS)[number]["accepts"]): string | null {
  if (value === undefined || value === null) return accepts === "boolean" ? "false" : "";
  if (typeof value === "boolean" && accepts === "boolean") return value ? "true" : "false";
  if (typeof value === "number" && Number.isFinite(value) && (accepts === "number" || accepts === "textOrNumber"))
    return JSON.stringify(value);
  return null;
}

function checkText(text: string, name: string): EventFault | null {
  if (!text.isWellFormed()) return new EventFault("invalid_event", `${name}: the text has a lone surrogate`);
  if (text.length * 3 > LIMITS.fieldTextBytes && utf8Length(text) > LIMITS.fieldTextBytes)
    return new EventFault("invalid_event", `${name}: expected at most ${LIMITS.fieldTextBytes} bytes, got ${utf8Length(text)}`);
  return null;
}

/** Id, time, metadata, and what follows from other fields; answers how many members it read. */
function decodeFixed(event: Input, context: DecodeContext, row: EventRow): number | EventFault {
  const texts = row.texts;
  const name = texts[NAME] as string;
  if (name === "" || name.length > LIMITS.eventNameChars)
    return new EventFault("invalid_event", `name: expected 1 to ${LIMITS.eventNameChars} characters, got ${shown(event["name"])}`);
  if (texts[SLUG] === "") texts[SLUG] = slugFor(name);
  const project = texts[PROJECT] as string;
  if (context.project !== null) {
    if (project !== "" && project !== context.project)
      return new EventFault("project_not_allowed", `project: this token writes to ${shown(context.project)} only`);
    texts[PROJECT] = context.project;
  } else if (project === "") texts[PROJECT] = "default";
  if (event["notify"] === undefined || event["notify"] === null) texts[NOTIFY] = "false";

  let seen = 0;
  const id = event["id"];
  if (id !== undefined) seen += 1;
  if (id === undefined || id === null || id === "") writeUuidV7(context.nowMs, context.random, row.id, 0);
  else if (typeof id !== "string") return new EventFault("invalid_event", `id: expected text, got ${shown(id)}`);
  else if (!id.isWellFormed()) return new EventFault("invalid_event", "id: the text has a lone surrogate");
  else writeUuidOfText(id, row.id, 0);

  const times = decodeTime(event, context, row);
  if (times instanceof EventFault) return times;

  const metadata = event["metadata"];
  if (metadata !== undefined) seen += 1;
  const parts = metadataTexts(metadata);
  if (parts instanceof MetadataFault) return new EventFault("invalid_event", `metadata${parts.path}: ${parts.reason}`);
  row.metadataKeys = parts.keys;
  row.metadataTexts = parts.texts;
  return seen + times;
}

let slugName = "";
let slug = "";

function slugFor(name: string): string {
  if (name !== slugName) {
    slug = slugOf(name);
    slugName = name;
  }
  return slug;
}

const TIME_NAMES = ["createdAt", "created_at", "timestamp"] as const;

function decodeTime(event: Input, context: DecodeContext, row: EventRow): number | EventFault {
  let seen = 0;
  let chosen: unknown = null;
  for (const name of TIME_NAMES) {
    const value = event[name];
    if (value === undefined) continue;
    seen += 1;
    if (value === null) continue;
    if (chosen !== null && chosen !== value) return new EventFault("invalid_event", `${name}: contradicts another time`);
    chosen = value;
  }
  let ms = context.nowMs;
  if (chosen !== null) {
    const parsed = instantOf(chosen);
    if (parsed === null)
      return new EventFault(
        "invalid_event",
        `createdAt: expected an RFC 3339 timestamp with a zone, or epoch ms, of the years 1970 to 9999, got ${shown(chosen)}`,
      );
    ms = parsed > context.nowMs + LIMITS.futureSkewMs ? context.nowMs : parsed;
  }
  row.createdAtMs = ms;
  return seen;
}

function instantOf(value: unknown): number | null {
  if (typeof value === "string") return parseTimestamp(value);
  const ms = typeof value === "number" ? value : value instanceof Date ? value.getTime() : Number.NaN;
  return Number.isFinite(ms) && ms >= 0 && ms < LIMITS.instantMaxMs ? Math.floor(ms) : null;
}

function definedCount(event: Input): number {
  let count = 0;
  for (const key in event) if (event[key] !== undefined) count += 1;
  return count;
}

const KNOWN = new Set<string>([
  "id",
  "metadata",
  ...TIME_NAMES,
  ...FIELDS.flatMap((field) => [field.camel, ...field.aliases]),
]);

function unknownMember(event: Input): EventFault | null {
  for (const key of Object.keys(event))
    if (!KNOWN.has(key) && event[key] !== undefined)
      return new EventFault("invalid_event", `${shown(key)}: not a member of an event`);
  return null;
}
