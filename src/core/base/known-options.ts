import { parameterError, shown } from "./errors.js";

/** The names of all options of a kind, as a table so that the compiler reports missing ones. */
export type KnownOptions<Options> = Readonly<Record<keyof Options, true>>;

/**
 * Rejects unknown options, which may be misspelt ones: programs without types pass anything.
 * @param path of a member that has options of its own; `""`: the options themselves
 * @throws invalid_parameter (no object), unknown_parameter
 */
export function rejectUnknownOptions(given: unknown, known: Readonly<Record<string, true>>, path = ""): void {
  if (typeof given !== "object" || given === null || Array.isArray(given))
    throw parameterError("invalid_parameter", path === "" ? "options" : path, `expected an object, got ${shown(given)}`);
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(known, name));
  if (unknown === undefined) return;
  const param = `${path === "" ? "" : `${path}.`}${unknown.slice(0, 80)}`;
  throw parameterError("unknown_parameter", param, `unknown; allowed: ${Object.keys(known).join(", ") || "none"}`);
}
