import { parameterError, shown, type ErrorCode } from "../../core/base/errors.js";

/** The members of an input object; null and undefined count as absent. */
export interface InputMembers {
  /** The path of the object: `""` for the input itself, else `filterGroups[0].filters[2]`. */
  readonly path: string;
  readonly values: ReadonlyMap<string, unknown>;
}

/** Reads the members of `value`. @throws invalid_parameter (no object), unknown_parameter */
export function readMembers(value: unknown, path: string, known: readonly string[]): InputMembers {
  if (Object.prototype.toString.call(value) !== "[object Object]") {
    throw parameterError("invalid_parameter", path === "" ? "input" : path, `expected an object, got ${shown(value)}`);
  }
  const values = new Map<string, unknown>();
  for (const [name, member] of Object.entries(value as object)) {
    if (member === null || member === undefined) continue;
    if (!known.includes(name)) {
      throw parameterError("unknown_parameter", memberPath(path, shortened(name)), `unknown; allowed: ${known.join(", ")}`);
    }
    values.set(name, member);
  }
  return { path, values };
}

/** Callers may send unknown names of any length. */
function shortened(name: string): string {
  return name.length > 80 ? `${name.slice(0, 77)}...` : name;
}

function memberPath(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}

/** The full path of a member, as errors report it. */
export function pathOfMember(members: InputMembers, name: string): string {
  return memberPath(members.path, name);
}

/** An error about one member. */
export function memberError(members: InputMembers, name: string, reason: string, code: ErrorCode = "invalid_parameter") {
  return parameterError(code, memberPath(members.path, name), reason);
}

/** A non-empty text; null when absent. @throws invalid_parameter */
export function readText(members: InputMembers, name: string): string | null {
  const value = members.values.get(name);
  if (value === undefined) return null;
  if (typeof value !== "string") throw memberError(members, name, `expected a string, got ${shown(value)}`);
  if (value === "") throw memberError(members, name, "expected at least one character, got an empty string");
  if (!value.isWellFormed()) throw memberError(members, name, "expected Unicode text, got a lone surrogate");
  return value;
}

/** A boolean; `absent` when absent. @throws invalid_parameter */
export function readFlag(members: InputMembers, name: string, absent = false): boolean {
  const value = members.values.get(name) ?? absent;
  if (typeof value !== "boolean") throw memberError(members, name, `expected true or false, got ${shown(value)}`);
  return value;
}

/** An integer from `min` to `max`; null when absent. @throws invalid_parameter */
export function readInteger(members: InputMembers, name: string, min: number, max: number): number | null {
  const value = members.values.get(name);
  if (value === undefined) return null;
  if (typeof value !== "number" || !Number.isInteger(value) || value < min || value > max) {
    throw memberError(members, name, `expected an integer from ${min} to ${max}, got ${shown(value)}`);
  }
  return value;
}

/** The range of an integer, and what it is when absent. */
interface Bounds {
  readonly min: number;
  readonly max: number;
  readonly default: number;
}

/** An integer within bounds. @throws invalid_parameter */
export function readBounded(members: InputMembers, name: string, { min, max, default: absent }: Bounds): number {
  return readInteger(members, name, min, max) ?? absent;
}

/** A list of `min` to `max` items; absent means empty if `min` is 0. A hole becomes an undefined item. @throws invalid_parameter */
export function readList(members: InputMembers, name: string, min: number, max: number): readonly unknown[] {
  const value = members.values.get(name) ?? (min === 0 ? [] : undefined);
  const count = Array.isArray(value) ? value.length : -1;
  if (count < min || count > max) {
    const came = value === undefined ? "none" : count < 0 ? shown(value) : `${count}`;
    throw memberError(members, name, `expected an array of ${min} to ${max} items, got ${came}`);
  }
  return [...(value as unknown[])];
}

/** One of `choices`; null when absent. @throws invalid_parameter */
export function readChoice<T extends string>(members: InputMembers, name: string, choices: readonly T[]): T | null {
  const value = members.values.get(name);
  if (value === undefined) return null;
  const choice = choices.find((each) => each === value);
  if (choice === undefined) throw memberError(members, name, `expected one of ${choices.join(", ")}, got ${shown(value)}`);
  return choice;
}
