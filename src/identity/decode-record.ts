import { DaybookError, parameterError, shown } from "../core/base/errors.js";
import { LIMITS } from "../core/base/limits.js";
import { numericIdFault } from "../core/base/json-text.js";
import { writeUuidOfText, writeUuidV7 } from "../core/base/uuid.js";
import { MetadataFault, metadataTexts, utf8Length } from "../core/schema/metadata.js";
import { instantOf, instantFault, storedMsOf, type ReceiptContext } from "../core/schema/instant.js";
import { changesOf, SET_ONCE } from "../core/schema/record.js";
import { emailOfTraits, normalEmail } from "./emails.js";
import { RECORD_KINDS, type RecordField } from "./record-table.js";

/** A checked record; absent fields are `""`. */
export interface DecodedRecord {
  readonly kind: number;
  readonly id: Uint8Array;
  readonly createdAtMs: number;
  /** Whether `createdAtMs` is the time of receipt because the record's own time was too far ahead. */
  readonly isAdjusted: boolean;
  readonly texts: Readonly<Record<RecordField, string>>;
}

export interface NamedProject {
  readonly project: string;
}

export interface RecordContext extends ReceiptContext {
  /** Fills bytes with random bits, for records without an id. */
  readonly random: (bytes: Uint8Array) => void;
}

const NOTHING: Readonly<Record<RecordField, string>> = { userId: "", anonymousId: "", fromUserId: "", email: "", companyId: "", traits: "" };

/** Checks an identify record. @throws invalid_parameter, unknown_parameter */
export function decodeIdentify(input: unknown, context: RecordContext): DecodedRecord {
  const members = membersOf(input, ["userId", "anonymousId", "email", "traits"]);
  const { userId, anonymousId } = someone(members);
  const traits = traitsOf(members);
  if (emailOfTraits(changesOf(traits.value, SET_ONCE)) !== "")
    throw parameterError("invalid_parameter", `traits.${SET_ONCE}.email`, "an email cannot be set once, as it counts from the time of its record: send it as `email`");
  const email = normalEmail(textOf(members, "email")) || emailOfTraits(traits.value);
  return decoded(RECORD_KINDS.identify, members, context, { userId, anonymousId, email, traits: traits.text });
}

/** Checks a group record. @throws invalid_parameter, unknown_parameter */
export function decodeGroup(input: unknown, context: RecordContext): DecodedRecord {
  const members = membersOf(input, ["companyId", "userId", "anonymousId", "traits"]);
  const { userId, anonymousId } = someone(members);
  const companyId = required(members, "companyId");
  return decoded(RECORD_KINDS.group, members, context, { userId, anonymousId, companyId, traits: traitsOf(members).text });
}

/** Checks an alias. @throws invalid_parameter, unknown_parameter */
export function decodeAlias(input: unknown, context: RecordContext): DecodedRecord {
  const members = membersOf(input, ["from", "to"]);
  const from = required(members, "from");
  return decoded(RECORD_KINDS.alias, members, context, { userId: required(members, "to"), anonymousId: from, fromUserId: from });
}

/** Checks a record of any type. @throws invalid_parameter, unknown_parameter */
export function decodeRecord(input: unknown, context: RecordContext): DecodedRecord | NamedProject {
  if (!isObject(input)) throw new DaybookError("invalid_parameter", `expected an object, got ${shown(input)}`);
  const { type, ...members } = input as { readonly type?: unknown };
  const decode = typeof type === "string" && Object.hasOwn(DECODERS, type) ? DECODERS[type as keyof typeof DECODERS] : null;
  if (decode === null) throw unexpected("type", `one of ${Object.keys(DECODERS).join(", ")}`, type);
  return decode(members, context);
}

/** In imported records an email of `""` means none, even when the traits have one. */
function decodeIdentifyRecord(input: object, context: RecordContext): DecodedRecord {
  const record = decodeIdentify(input, context);
  return "email" in input && input.email === "" ? { ...record, texts: { ...record.texts, email: "" } } : record;
}

const DECODERS = { identify: decodeIdentifyRecord, group: decodeGroup, alias: decodeAlias, unlink: decodeUnlink, project: decodeProject };

function decodeUnlink(input: unknown, context: RecordContext): DecodedRecord {
  const members = membersOf(input, ["linkId"]);
  const { createdAtMs, isAdjusted } = decoded(RECORD_KINDS.unlink, members, context, {});
  const linkId = requiredText(members, "linkId");
  const id = new Uint8Array(16);
  writeUuidOfText(linkId, id, 0);
  return { ...unlinkOf(id, context), createdAtMs, isAdjusted };
}

function decodeProject(input: unknown): NamedProject {
  return { project: requiredText(membersOf(input, ["name"], []), "name") };
}

export function unlinkOf(id: Uint8Array, context: RecordContext): DecodedRecord {
  return { kind: RECORD_KINDS.unlink, id, createdAtMs: context.nowMs, isAdjusted: false, texts: NOTHING };
}

type RecordMembers = ReadonlyMap<string, unknown>;

function isObject(input: unknown): input is object {
  return Object.prototype.toString.call(input) === "[object Object]";
}

function membersOf(input: unknown, names: readonly string[], moment: readonly string[] = ["id", "createdAt"]): RecordMembers {
  if (!isObject(input)) throw unexpected("input", "an object", input);
  const known = [...names, ...moment];
  const members = new Map<string, unknown>();
  for (const [name, value] of Object.entries(input)) {
    if (value === null || value === undefined) continue;
    if (!known.includes(name)) throw parameterError("unknown_parameter", name, `unknown; allowed: ${known.join(", ")}`);
    members.set(name, value);
  }
  return members;
}

function unexpected(name: string, expected: string, came: unknown) {
  return parameterError("invalid_parameter", name, `expected ${expected}, got ${shown(came)}`);
}

/** Ids may be whole numbers; `""` when absent. */
function textOf(members: RecordMembers, name: string): string {
  const value = members.get(name) ?? "";
  refuseNumericId(name, value);
  const text = typeof value === "number" && Number.isFinite(value) ? JSON.stringify(value) : value;
  if (typeof text !== "string") throw unexpected(name, "text or a number", value);
  if (!text.isWellFormed()) throw parameterError("invalid_parameter", name, "the text has a lone surrogate");
  if (utf8Length(text) > LIMITS.fieldTextBytes) throw unexpected(name, `at most ${LIMITS.fieldTextBytes} bytes`, text);
  return text;
}

function refuseNumericId(name: string, value: unknown): void {
  const fault = numericIdFault(name, value);
  if (fault !== null) throw parameterError("invalid_parameter", name, fault);
}

function required(members: RecordMembers, name: string): string {
  const text = textOf(members, name);
  if (text === "") throw unexpected(name, "at least one character", members.get(name));
  return text;
}

function requiredText(members: RecordMembers, name: string): string {
  const value = members.get(name);
  if (typeof value === "number") throw unexpected(name, "text", value);
  return required(members, name);
}

function someone(members: RecordMembers): { userId: string; anonymousId: string } {
  const userId = textOf(members, "userId");
  const anonymousId = textOf(members, "anonymousId");
  if (userId === "" && anonymousId === "") throw parameterError("invalid_parameter", "userId", "expected a userId or an anonymousId, got neither");
  return { userId, anonymousId };
}

interface DecodedTraits {
  readonly text: string;
  readonly value: Readonly<Record<string, unknown>>;
}

function traitsOf(members: RecordMembers): DecodedTraits {
  const traits = members.get("traits");
  const parts = metadataTexts(traits);
  if (parts instanceof MetadataFault) throw parameterError("invalid_parameter", `traits${parts.path}`, parts.reason);
  if (parts.keys.length === 0) return { text: "", value: {} };
  const text = JSON.stringify(traits);
  // As the store returns them: a Date becomes text.
  return { text, value: JSON.parse(text) as DecodedTraits["value"] };
}

function decoded(kind: number, members: RecordMembers, context: RecordContext, texts: Partial<Record<RecordField, string>>): DecodedRecord {
  const moment = members.get("createdAt");
  const ms = moment === undefined ? context.nowMs : instantOf(moment);
  if (ms === null) throw parameterError("invalid_parameter", "createdAt", instantFault(moment));
  const createdAtMs = storedMsOf(ms, context);
  const id = new Uint8Array(16);
  const given = members.get("id") ?? "";
  refuseNumericId("id", given);
  if (typeof given !== "string" || !given.isWellFormed()) throw unexpected("id", "text", given);
  if (given === "") writeUuidV7(context.nowMs, context.random, id, 0);
  else writeUuidOfText(given, id, 0);
  return { kind, id, createdAtMs, isAdjusted: createdAtMs !== ms, texts: { ...NOTHING, ...texts } };
}
