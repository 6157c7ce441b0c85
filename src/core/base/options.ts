import { parameterError, shown } from "./errors.js";

/** The names of all options of a kind, as a table so that the compiler reports missing ones. */
export type KnownOptions<Options> = Readonly<Record<keyof Options, true>>;

/** Unknown options may be misspelt. @param known has a member for each @param path `""`: not nested @throws invalid_parameter, unknown_parameter */
export function rejectUnknownOptions(given: unknown, known: Readonly<Record<string, unknown>>, path = ""): void {
  if (typeof given !== "object" || given === null || Array.isArray(given))
    throw parameterError("invalid_parameter", path === "" ? "options" : path, `expected an object, got ${shown(given)}`);
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(known, name));
  if (unknown === undefined) return;
  const param = `${path === "" ? "" : `${path}.`}${unknown.slice(0, 80)}`;
  throw parameterError("unknown_parameter", param, `unknown; allowed: ${Object.keys(known).join(", ") || "none"}`);
}

/** How `ingest` reports rejected events: in its result, or by an error. Valid events are stored either way. */
export type OnRejected = "list" | "throw";

export interface IngestOptions {
  /** The only project that these events may belong to, and the default for events that name none. */
  readonly project?: string;
  /**
   * `list`: the result lists rejected events. `throw`: an error with the code of the first one, whose details have the members of the result.
   * Default: the option of the Daybook, which is `list` unless set.
   */
  readonly onRejected?: OnRejected;
}

export type TrackOptions = Pick<IngestOptions, "project">;

/** Key of an option of `ingest` for batches of `track`, which retries them itself and sends them while the Daybook closes. */
export const TRACKED: unique symbol = Symbol.for("daybook.tracked") as typeof TRACKED;

export interface TrackedOption {
  readonly [TRACKED]?: true;
}

/** Key of the member that is true if `ingest` throws rejected events by default. The same for all copies of this package. */
export const THROWS_REJECTED: unique symbol = Symbol.for("daybook.throwsRejected") as typeof THROWS_REJECTED;

/** Key of an option of `track`: the `ingest` that gets the event. The same for all copies of this package. */
export const INGEST: unique symbol = Symbol.for("daybook.ingest") as typeof INGEST;

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

const KNOWN_OF_INGEST: KnownOptions<IngestOptions> = { project: true, onRejected: true };
const KNOWN_OF_TRACK: KnownOptions<TrackOptions> = { project: true };

/** Checks the options of an ingest. @param throwsByDefault of the Daybook @throws invalid_parameter, unknown_parameter */
export function readIngestOptions(options: unknown, throwsByDefault: boolean): { readonly project: string | null; readonly throwsRejected: boolean } {
  const { onRejected } = (options ?? {}) as IngestOptions;
  return { project: projectOf(options, KNOWN_OF_INGEST), throwsRejected: isThrowing(onRejected, throwsByDefault) };
}

/** The project of a tracked event; null: any. @throws invalid_parameter, unknown_parameter */
export function projectOfTrack(options: unknown): string | null {
  return projectOf(options, KNOWN_OF_TRACK);
}

function projectOf(options: unknown, known: Readonly<Record<string, unknown>>): string | null {
  if (options === undefined || options === null) return null;
  rejectUnknownOptions(options, known);
  const { project = null } = options as { readonly project?: unknown };
  if (project === null || (typeof project === "string" && project !== "")) return project;
  throw parameterError("invalid_parameter", "project", `expected a name, got ${shown(project)}`);
}

/** Whether an `onRejected` is `throw`; `fallback` if absent. @throws invalid_parameter */
export function isThrowing(onRejected: unknown, fallback = false): boolean {
  if (onRejected === undefined) return fallback;
  if (onRejected === "list" || onRejected === "throw") return onRejected === "throw";
  throw parameterError("invalid_parameter", "onRejected", `expected "list" or "throw", got ${shown(onRejected)}`);
}

/** Options that stop a read. */
export interface StopOptions {
  /**
   * Stops the call with `aborted`. The flag is polled, never listened to, so any object that has it will do. An export yields now and
   * then; a query yields every few milliseconds with a signal, and never without one.
   */
  readonly signal?: Pick<AbortSignal, "aborted"> | undefined;
}

export interface ExportOptions extends StopOptions {
  /**
   * Called before the first item of an export with `afterSequence` or `upToSequence`, with the sequence up to which it reads: the next export
   * continues after it. It may be greater than that of any event. What it throws, the export throws.
   */
  readonly onSequence?: ((sequence: number) => void) | undefined;
}

const KNOWN: KnownOptions<StopOptions> = { signal: true };

/** Checks stop options; null and undefined mean none. @throws invalid_parameter, unknown_parameter */
export function readStopOptions(options: StopOptions | null | undefined): StopOptions {
  checkQueryOptions(options, KNOWN);
  return options ?? {};
}

const KNOWN_OF_EXPORT: KnownOptions<ExportOptions> = { signal: true, onSequence: true };

/** Checks the options of an export of events; null and undefined mean none. @throws invalid_parameter, unknown_parameter */
export function readExportOptions(options: ExportOptions | null | undefined): ExportOptions {
  checkQueryOptions(options, KNOWN_OF_EXPORT);
  const onSequence: unknown = options?.onSequence;
  if (onSequence !== undefined && typeof onSequence !== "function") throw parameterError("invalid_parameter", "onSequence", `expected a function, got ${shown(onSequence)}`);
  return options ?? {};
}
