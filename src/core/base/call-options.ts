import { parameterError, shown } from "./errors.js";
import { rejectUnknownOptions } from "./known-options.js";

type KnownOptionNames = Readonly<Record<string, true>>;

export interface IngestOptions {
  /** The only project that these events may belong to, and the default for events that name none. */
  readonly project?: string;
}

/** Checks the options of a query or an export; null and undefined mean none. @throws invalid_parameter, unknown_parameter */
export function checkQueryOptions(options: unknown, known: KnownOptionNames): void {
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
export function projectOfIngest(options: unknown, known: KnownOptionNames): string | null {
  if (options === undefined || options === null) return null;
  rejectUnknownOptions(options, known);
  const { project = null } = options as { readonly project?: unknown };
  if (project === null || (typeof project === "string" && project !== "")) return project;
  throw parameterError("invalid_parameter", "project", `expected a name, got ${shown(project)}`);
}
