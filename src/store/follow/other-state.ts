import { DaybookError } from "../../core/base/errors.js";

/** The error for stored files that contradict what was shown, though none is damaged. @param key the contradicting file */
export function otherState(key: string): DaybookError {
  return new DaybookError("corruption", "the files now belong to another store, or to an earlier state than the one already shown: close this reader and open it again", { key });
}
