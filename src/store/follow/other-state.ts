import { DaybookError } from "../../core/base/errors.js";

/** The error for stored files that contradict what was shown, though none is damaged. @param key the contradicting file */
export function otherState(key: string): DaybookError {
  return new DaybookError("corruption", "this is another store now, or an earlier state than was shown: close this reader and open it again", { key });
}
