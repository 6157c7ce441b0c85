import { Yielder } from "../../core/base/yield.js";
import { stopped } from "../query/scan.js";

/** Cost of a row that is skipped, and of a row that is yielded, in values. */
export const PASSED_ROW_VALUES = 32;
export const GIVEN_ROW_VALUES = 512;

/** For rows that are read one by one; throws `aborted` as soon as the signal says so. */
export function rowYielder(signal: Pick<AbortSignal, "aborted"> | undefined): Yielder {
  return new Yielder(undefined, undefined, () => {
    if (signal?.aborted === true) throw stopped();
  });
}
