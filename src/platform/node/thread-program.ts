import { isAbsolute } from "node:path";
import { pathToFileURL } from "node:url";
import { parameterError, shown } from "../../core/base/errors.js";

/** Options of functions that start a thread. */
export interface ThreadProgramOptions {
  /**
   * The program of the thread, of `daybook/node/seal-program` or `daybook/node/socket-thread`: a URL, or an absolute path. Default: its file in this
   * package, or beside the bundle that contains this code. `docs/guide/embedding.md` lists what each bundler needs.
   */
  readonly program?: URL | string;
}

/** URL schemes that threads can be started from. */
const SCHEMES = /^(?:file|data|blob):/;
const SHOWN_CHARS_MAX = 200;

/**
 * Locates the program of a thread; resolved only when the thread is started.
 * @param fallback its location by default; may throw if this code has no URL of its own
 * @throws invalid_parameter (a program that no thread can be started from)
 */
export function programOf(given: unknown, fallback: () => URL): () => URL {
  if (given === undefined) return fallback;
  // Not `instanceof`: bundlers and test runners have their own URL classes.
  const text = typeof given === "string" ? given : (given as Partial<URL> | null)?.href;
  if (typeof text === "string" && isAbsolute(text)) return () => pathToFileURL(text);
  if (typeof text !== "string" || !SCHEMES.test(text)) throw parameterError("invalid_parameter", "program", `expected a file: URL or an absolute path, got ${shown(given)}`);
  const url = new URL(text);
  return () => url;
}

/** Why a thread could not be started: the program that was tried, and the option that names another. */
export function missingThread(locate: () => URL, reason: unknown): string {
  const text = reason instanceof Error ? reason.message : String(reason);
  return `${text} (its program: ${placeOf(locate)}; the option "program" names another, see "Bundlers" in docs/guide/embedding.md)`;
}

function placeOf(locate: () => URL): string {
  try {
    return locate().href.slice(0, SHOWN_CHARS_MAX);
  } catch {
    return "none, as a bundle of this format does not know its own location";
  }
}

/** Emits a process warning about reduced service. */
export function warn(text: string): void {
  process.emitWarning(text, "DaybookWarning");
}
