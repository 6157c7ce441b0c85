import { parameterError, shown } from "./errors.js";

/** Names of all options of a kind: a table, so that the compiler names one that is missing. */
export type KnownOptions<Options> = Readonly<Record<keyof Options, true>>;

/**
 * Refuses options that nobody reads: one of them may be a misspelt one that matters. Programs without types hand over anything.
 * @param path of a member that has options of its own; `""`: the options themselves
 * @throws invalid_parameter (no object), unknown_parameter
 */
export function refuseUnknown(given: unknown, known: Readonly<Record<string, true>>, path = ""): void {
  if (typeof given !== "object" || given === null || Array.isArray(given))
    throw parameterError("invalid_parameter", path === "" ? "options" : path, `expected an object, got ${shown(given)}`);
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(known, name));
  if (unknown === undefined) return;
  const param = `${path === "" ? "" : `${path}.`}${unknown.slice(0, 80)}`;
  throw parameterError("unknown_parameter", param, `unknown; known are ${Object.keys(known).join(", ") || "none"}`);
}
