import { DaybookError, ERROR_CODES, type ErrorCode } from "../base/errors.js";
import type { IngestResult, RejectedEvent } from "./event.js";

/** The error of one rejected item, with the parameter that its message names. @param place of the item in its batch; `""`: it is alone */
export function errorOfRejection({ code, message }: Pick<RejectedEvent, "code" | "message">, place = "", others = ""): DaybookError {
  // A server of another version may send a code that this one does not know.
  const knownCode = Object.hasOwn(ERROR_CODES, code) ? (code as ErrorCode) : "invalid_parameter";
  const [, name, text = message] = /^([A-Za-z][\w.[\]]*): ([^]*)$/.exec(message) ?? [];
  const path = [place, name].filter(Boolean).join(".");
  return new DaybookError(knownCode, path === "" ? message : `${path}${others}: ${text}`, path === "" ? {} : { param: path, reason: text });
}

/** The error of an ingest with rejected events, which names the first one. Its details have the members of the result too. */
export function rejectionError(first: RejectedEvent, result: IngestResult): DaybookError {
  const otherCount = (result.rejectedCount ?? result.rejected.length) - 1;
  const { code, message, details } = errorOfRejection(first, `events[${first.index}]`, otherCount === 0 ? "" : ` (and ${otherCount} more)`);
  return new DaybookError(code, message, { ...details, ...result });
}
