import type { Storage } from "../storage/storage.js";
import type { VerifyReport } from "./verify.js";

/**
 * Checks every stored byte and every law that stored data can break, changing nothing; a writer may be at work. Cost: all
 * files are read once. Memory: the dictionaries, one segment at a time, and about 10 bytes an event.
 * @throws what reading throws (overloaded, internal), invalid_parameter for a directory of organizations, but never corruption: that is reported
 */
export async function verifyStore(storage: Storage): Promise<VerifyReport> {
  // Most programs never do.
  const { verify } = await import("./verify.js");
  return await verify(storage);
}
