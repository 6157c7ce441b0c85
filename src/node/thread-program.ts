import { isAbsolute } from "node:path";
import { pathToFileURL } from "node:url";
import { parameterError, shown } from "../base/errors.js";

/** For whoever starts a thread. */
export interface ThreadProgramOptions {
  /**
   * The program of the thread, of `daybook/node/seal-program` or `daybook/node/socket-thread`: a URL, or an absolute path. Default: its file in this
   * package, or beside the bundle that this code is in. What each bundler has to be told stands in `docs/guide/embedding.md`.
   */
  readonly program?: URL | string;
}

/** Schemes that threads start from. */
const SCHEMES = /^(?:file|data|blob):/;
const SHOWN_CHARS_MAX = 200;

/**
 * Where the program of a thread is to be looked for, found when it is to be started.
 * @param fallback where it is unless an option says so; may throw where this code does not know where it is itself
 * @throws invalid_parameter (a program that no thread can be started from)
 */
export function programOf(given: unknown, fallback: () => URL): () => URL {
  if (given === undefined) return fallback;
  // By its member: bundlers and test runners bring classes of their own.
  const text = typeof given === "string" ? given : (given as Partial<URL> | null)?.href;
  if (typeof text === "string" && isAbsolute(text)) return () => pathToFileURL(text);
  if (typeof text !== "string" || !SCHEMES.test(text)) throw parameterError("invalid_parameter", "program", `expected a file: URL or an absolute path, got ${shown(given)}`);
  const url = new URL(text);
  return () => url;
}

/** Why a thread could not be had: what was looked for, and which option names another. */
export function missingThread(locate: () => URL, reason: unknown): string {
  const text = reason instanceof Error ? reason.message : String(reason);
  return `${text} (its program: ${placeOf(locate)}; the option "program" names another, see "Bundlers" in docs/guide/embedding.md)`;
}

function placeOf(locate: () => URL): string {
  try {
    return locate().href.slice(0, SHOWN_CHARS_MAX);
  } catch {
    return "none, as a bundle of this kind does not say where it is";
  }
}

/** Tells of what works less well than it should. */
export function warn(text: string): void {
  process.emitWarning(text, "DaybookWarning");
}
