import { DaybookError, parameterError, shown } from "../base/errors.js";
import type { SavedSegment, Segments } from "../engine/question/saved-segments.js";
import type { Segment } from "../plan/insights/input.js";
import type { Calls } from "./calls.js";
import { jsonText } from "./json-text.js";
import { camelCase, libraryNames, wireNames } from "./names.js";
import { segmentOf } from "./question-of.js";

const PATH = "/v1/segments";

/** Saved segments over their routes. */
export class RemoteSegments implements Segments {
  readonly #calls: Calls;

  constructor(calls: Calls) {
    this.#calls = calls;
  }

  async put(name: string, segment: Segment): Promise<SavedSegment> {
    if (Object.prototype.toString.call(segment) !== "[object Object]") throw parameterError("invalid_parameter", "input", `expected an object, got ${shown(segment)}`);
    const body = jsonText(segmentOf(segment, ""), false);
    return libraryNames(await this.#change("PUT", name, JSON.stringify(wireNames(JSON.parse(body))))) as SavedSegment;
  }

  async list(): Promise<readonly SavedSegment[]> {
    const { segments } = (await this.#calls.json({ method: "GET", path: PATH, again: "always" })) as { segments: unknown };
    return libraryNames(segments) as readonly SavedSegment[];
  }

  async delete(name: string): Promise<boolean> {
    const { deleted } = (await this.#change("DELETE", name)) as { deleted: boolean };
    return deleted;
  }

  async #change(method: "PUT" | "DELETE", name: string, body?: string): Promise<unknown> {
    // Another text could be another path.
    if (typeof name !== "string" || !/^[\w-]{1,100}$/.test(name)) throw parameterError("invalid_parameter", "name", `expected the name of a segment, got ${shown(name)}`);
    try {
      // A segment that is put twice is the same; one that is deleted twice was not there the second time.
      return await this.#calls.json({ method, path: `${PATH}/${name}`, ...(body === undefined ? {} : { body }), again: method === "PUT" ? "always" : "undone" });
    } catch (error) {
      throw error instanceof DaybookError ? inLibraryNames(error) : error;
    }
  }
}

/** Names that differ on the wire, and what callers sent, which stays. */
const QUOTED_OR_NAME = /"(?:[^"\\]|\\.)*"|\b(?:event_name|filter_groups|field_name|at_least|at_most|start_date|end_date|last_days)\b/g;

function inLibraryNames({ code, message, details, cause }: DaybookError): DaybookError {
  const { param, reason } = details;
  const named = param === undefined ? undefined : camelCase(param);
  const said = (reason ?? message).replace(QUOTED_OR_NAME, (match) => (match.startsWith('"') ? match : camelCase(match)));
  if (named === undefined || reason === undefined) return new DaybookError(code, said, details, { cause });
  return new DaybookError(code, `${named}: ${said}`, { ...details, param: named, reason: said }, { cause });
}
