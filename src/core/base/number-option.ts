import { parameterError, shown, type DaybookError } from "./errors.js";

/** A number of an option within bounds; `fallback` if absent. @throws invalid_parameter */
export function numberOption(value: unknown, param: string, min: number, max: number, fallback: number, isWhole = false): number {
  if (value === undefined) return fallback;
  if (typeof value === "number" && value >= min && value <= max && (!isWhole || Number.isInteger(value))) return value;
  throw unexpectedOption(param, `${isWhole ? "an integer" : "a number"} from ${min} to ${max}`, value);
}

export function unexpectedOption(param: string, expected: string, received: unknown): DaybookError {
  return parameterError("invalid_parameter", param, `expected ${expected}, got ${shown(received)}`);
}
