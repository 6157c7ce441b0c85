import { LIMITS } from "../base/limits.js";

export class MetadataFault {
  constructor(
    readonly path: string,
    readonly reason: string,
  ) {}
}

/** A metadata object as stored: its keys in order, and the JSON text of each value. */
export interface MetadataTexts {
  readonly keys: string[];
  readonly texts: string[];
}

/** The cached codes of a metadata key. A scalar with a code was validated when the code was assigned. */
export interface KnownKey {
  readonly code: number;
  readonly scalars: KnownScalars;
}

/** Longest JSON text, in characters, of a scalar whose code is cached; longer ones rarely repeat. */
export const SCALAR_CHARS_MAX = 64;

export interface KnownScalars {
  /** -1 if the value has no code, or its code is not cached. */
  codeOfScalar(value: string | number | boolean): number;
}

/** Returns the cache entry of a key; null for a new key. */
export type KnownKeys = (key: string) => KnownKey | null;

/** The members of consecutive metadata objects: the first `count` entries of each list. */
export class MetadataMembers {
  count = 0;
  readonly keys: string[] = [];
  /** -1 for a new key. */
  readonly keyCodes: number[] = [];
  /** JSON text of each value; `""` where `codes` has the value. */
  readonly texts: string[] = [];
  /** Code of each value; -1 where the text has to be looked up. */
  readonly codes: number[] = [];

  push(key: string, keyCode: number, text: string, code: number): void {
    const at = this.count;
    this.keys[at] = key;
    this.keyCodes[at] = keyCode;
    this.texts[at] = text;
    this.codes[at] = code;
    this.count = at + 1;
  }
}

/** By top-level value. `undefined` members are absent, as in JSON; a `Date` becomes ISO text; other values that JSON cannot hold are faults. */
export function metadataTexts(metadata: unknown): MetadataTexts | MetadataFault {
  const members = new MetadataMembers();
  const fault = readMetadata(metadata, () => null, members);
  return fault ?? { keys: members.keys, texts: members.texts };
}

/** Appends the members of a metadata object to `into`; after a fault, some of them may remain there. A cached value costs one lookup. */
export function readMetadata(metadata: unknown, knownKeys: KnownKeys, into: MetadataMembers): MetadataFault | null {
  if (metadata === undefined || metadata === null) return null;
  if (!isPlainObject(metadata)) return new MetadataFault("", `expected an object, got ${kindOf(metadata)}`);
  let charCount = 2;
  for (const key in metadata) {
    const value = metadata[key];
    if (value === undefined) continue;
    const known = knownKeys(key);
    const code = known === null || typeof value === "object" ? -1 : known.scalars.codeOfScalar(value as string | number | boolean);
    if (known !== null && code >= 0) {
      into.push(key, known.code, "", code);
      charCount += key.length * 2 + SCALAR_CHARS_MAX + 4;
      continue;
    }
    if (!key.isWellFormed()) return new MetadataFault(`.${key}`, "the key has a lone surrogate");
    const fault = checkValue(value, `.${key}`, 2);
    if (fault !== null) return fault;
    // A custom toJSON may return anything, including `undefined`.
    const text = JSON.stringify(value) as string | undefined;
    if (text === undefined) return new MetadataFault(`.${key}`, "expected a JSON value, but its toJSON returned none");
    into.push(key, known === null ? -1 : known.code, text, -1);
    // As JSON, a character of a key takes up to six bytes; a character of text that is already JSON, up to three.
    charCount += key.length * 2 + text.length + 4;
  }
  if (charCount > LIMITS.metadataBytes / 3) {
    const byteLength = utf8Length(JSON.stringify(metadata));
    if (byteLength > LIMITS.metadataBytes)
      return new MetadataFault("", `expected at most ${LIMITS.metadataBytes} bytes of JSON, got ${byteLength}`);
  }
  return null;
}

function checkValue(value: unknown, path: string, depth: number): MetadataFault | null {
  switch (typeof value) {
    case "string":
      return value.isWellFormed() ? null : new MetadataFault(path, "the text has a lone surrogate");
    case "number":
      return Number.isFinite(value) ? null : new MetadataFault(path, `expected a finite number, got ${value}`);
    case "boolean":
      return null;
    case "object":
      return value === null ? null : checkNested(value, path, depth);
    default:
      return new MetadataFault(path, `expected a JSON value, got ${kindOf(value)}`);
  }
}

function checkNested(value: object, path: string, depth: number): MetadataFault | null {
  if (value instanceof Date)
    return Number.isNaN(value.getTime()) ? new MetadataFault(path, "expected a valid date") : null;
  if (depth > LIMITS.metadataDepth)
    return new MetadataFault(path, `expected at most ${LIMITS.metadataDepth} levels of nesting`);
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) {
      const fault = checkValue(value[index] ?? null, `${path}[${index}]`, depth + 1);
      if (fault !== null) return fault;
    }
    return null;
  }
  if (!isPlainObject(value)) return new MetadataFault(path, `expected a JSON value, got ${kindOf(value)}`);
  for (const key of Object.keys(value)) {
    const member = value[key];
    if (member === undefined) continue;
    if (!key.isWellFormed()) return new MetadataFault(`${path}.${key}`, "the key has a lone surrogate");
    const fault = checkValue(member, `${path}.${key}`, depth + 1);
    if (fault !== null) return fault;
  }
  return null;
}

export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  if (typeof value !== "object") return `a ${typeof value}`;
  return `an instance of ${(value.constructor as { name?: string } | undefined)?.name ?? "an unknown class"}`;
}

export function utf8Length(text: string): number {
  let byteLength = 0;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    byteLength += unit < 0x80 ? 1 : unit < 0x800 ? 2 : unit >= 0xd800 && unit <= 0xdfff ? 2 : 3;
  }
  return byteLength;
}
