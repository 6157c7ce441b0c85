import { DaybookError } from "../../base/errors.js";

/** What is stored contradicts what was shown, though no file is damaged. @param key of the file that tells */
export function otherState(key: string): DaybookError {
  return new DaybookError("corruption", "this is another store now, or an earlier state than was shown: close this reader and open it again", { key });
}
