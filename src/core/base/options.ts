import { parameterError, shown } from "./errors.js";

/** The names of all options of a kind, as a table so that the compiler reports missing ones. */
export type KnownOptions<Options> = Readonly<Record<keyof Options, true>>;

/**
 * Rejects unknown options, which may be misspelt ones: programs without types pass anything.
 * @param known has a member for each option: a table, or the defaults
 * @param path of a member that has options of its own; `""`: the options themselves
 * @throws invalid_parameter (no object), unknown_parameter
 */
export function rejectUnknownOptions(given: unknown, known: Readonly<Record<string, unknown>>, path = ""): void {
  if (typeof given !== "object" || given === null || Array.isArray(given))
    throw parameterError("invalid_parameter", path === "" ? "options" : path, `expected an object, got ${shown(given)}`);
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(known, name));
  if (unknown === undefined) return;
  const param = `${path === "" ? "" : `${path}.`}${unknown.slice(0, 80)}`;
  throw parameterError("unknown_parameter", param, `unknown; allowed: ${Object.keys(known).join(", ") || "none"}`);
}

export interface IngestOptions {
  /** The only project that these events may belong to, and the default for events that name none. */
  readonly project?: string;
}

/** Checks the options of a query or an export; null and undefined mean none. @throws invalid_parameter, unknown_parameter */
export function checkQueryOptions(options: unknown, known: Readonly<Record<string, unknown>>): void {
  if (options === undefined || options === null) return;
  rejectUnknownOptions(options, known);
  const { signal, onNotice, aborted } = options as { readonly signal?: unknown; readonly onNotice?: unknown; readonly aborted?: unknown };
  // A signal passed as the options, or a controller passed as the signal, would silently never stop anything.
  if (typeof aborted === "boolean") throw parameterError("invalid_parameter", "options", "expected an object with the signal, got the signal itself");
  if (signal !== undefined && typeof (signal as { readonly aborted?: unknown } | null)?.aborted !== "boolean")
    throw parameterError("invalid_parameter", "signal", `expected an AbortSignal, got ${shown(signal)}`);
  if (onNotice !== undefined && typeof onNotice !== "function") throw parameterError("invalid_parameter", "onNotice", `expected a function, got ${shown(onNotice)}`);
}

/** The project that an ingest is restricted to; null: any. @throws invalid_parameter, unknown_parameter */
export function projectOfIngest(options: unknown, known: Readonly<Record<string, unknown>>): string | null {
  if (options === undefined || options === null) return null;
  rejectUnknownOptions(options, known);
  const { project = null } = options as { readonly project?: unknown };
  if (project === null || (typeof project === "string" && project !== "")) return project;
  throw parameterError("invalid_parameter", "project", `expected a name, got ${shown(project)}`);
}

/** Options that stop a read. */
export interface StopOptions {
  /**
   * Stops the call with `aborted`. The flag is polled, never listened to, so any object that has it will do. An export yields now and
   * then; a query yields every few milliseconds with a signal, and never without one.
   */
  readonly signal?: Pick<AbortSignal, "aborted"> | undefined;
}

const KNOWN: KnownOptions<StopOptions> = { signal: true };

/** Checks stop options; null and undefined mean none. @throws invalid_parameter, unknown_parameter */
export function readStopOptions(options: StopOptions | null | undefined): StopOptions {
  checkQueryOptions(options, KNOWN);
  return options ?? {};
}
