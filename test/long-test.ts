import { test } from "vitest";

/** A test, and tests of a table. */
type LongTest = Pick<typeof test, "each"> & ((title: string, run: () => void | Promise<void>) => void);

/**
 * `test` in the long suite, which runs the file again with `DAYBOOK_THOROUGH`; nothing in the default one, which has quicker tests of the same
 * matter in that file. The long suite finds such files by this name.
 */
export const longTest: LongTest = process.env["DAYBOOK_THOROUGH"] === "1" ? test : Object.assign(() => undefined, { each: () => () => undefined });
