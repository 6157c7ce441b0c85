import { DaybookError, parameterError, type ErrorCode } from "../core/base/errors.js";
import { SERVER_LIMITS } from "../core/base/server-limits.js";

/** Rejects values that JSON would change or drop. @param acceptsDates true: as ISO text @throws invalid_parameter, invalid_filter_value */
export function jsonText(value: unknown, acceptsDates: boolean): string {
  checkValue(value, "", 1, acceptsDates);
  return JSON.stringify(value ?? null);
}

function checkValue(value: unknown, path: string, depth: number, acceptsDates: boolean): void {
  if (value === null || value === undefined || typeof value === "string" || typeof value === "boolean") return;
  if (typeof value === "number") {
    if (!Number.isFinite(value)) throw unrepresentable(path, String(value), FILTER_VALUE.test(path));
  } else if (typeof value !== "object") throw unrepresentable(path, `a ${typeof value}`);
  else if (value instanceof Date) checkDate(value, path, acceptsDates);
  else {
    // This also ends circular references.
    if (depth > SERVER_LIMITS.clientDepth) throw inputError(path, `expected at most ${SERVER_LIMITS.clientDepth} levels of nesting`);
    if (Array.isArray(value)) for (let at = 0; at < value.length; at += 1) checkValue(value[at], `${path}[${at}]`, depth + 1, acceptsDates);
    else checkObject(value, path, depth, acceptsDates);
  }
}

function checkDate(date: Date, path: string, isAccepted: boolean): void {
  if (!isAccepted) throw unrepresentable(path, "a Date");
  if (Number.isNaN(date.getTime())) throw unrepresentable(path, "an invalid Date");
}

function checkObject(value: object, path: string, depth: number, acceptsDates: boolean): void {
  const prototype: unknown = Object.getPrototypeOf(value);
  const isPlain = prototype === null || Object.getPrototypeOf(prototype) === null;
  // The input itself may be an instance of any class: only its members matter.
  if (!isPlain && depth > 1) throw unrepresentable(path, `an instance of ${value.constructor.name}`);
  if (typeof (value as { toJSON?: unknown }).toJSON === "function") throw unrepresentable(path, "an object with toJSON");
  for (const [name, member] of Object.entries(value)) checkValue(member, path === "" ? name : `${path}.${name}`, depth + 1, acceptsDates);
}

/** Path of the value of a filter at any depth, or of a condition of a segment. */
const FILTER_VALUE = /(?:^|\.)(?:filterGroups\[\d+\]\.filters|groups\[\d+\]\.conditions)\[\d+\]\.value$/;
const FILTER_ITEM = /(?:^|\.)(?:filterGroups\[\d+\]\.filters|groups\[\d+\]\.conditions)\[\d+\]\.value\[\d+\]/;

/** @param isFilterValue a number that is not finite as a filter's value: it has a separate code, like all invalid items of a filter's list */
function unrepresentable(path: string, received: string, isFilterValue = false): DaybookError {
  const code = isFilterValue || FILTER_ITEM.test(path) ? "invalid_filter_value" : "invalid_parameter";
  return inputError(path, `expected a value that JSON can represent, got ${received}`, code);
}

function inputError(path: string, reason: string, code: ErrorCode = "invalid_parameter"): DaybookError {
  return path === "" ? new DaybookError(code, reason) : parameterError(code, path.slice(0, 200), reason);
}
