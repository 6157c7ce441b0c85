import type { Storage } from "../storage/storage.js";
import type { VerifyReport } from "./verify.js";

/**
 * Checks every stored byte and every invariant of stored data without changing anything; a writer may be active.
 * Cost: reads all files once. Memory: the dictionaries, one segment at a time, and about 10 bytes per event.
 * @throws what reading throws (overloaded, internal), invalid_parameter for a directory of organizations; corruption is reported instead
 */
export async function verifyStore(storage: Storage): Promise<VerifyReport> {
  // Imported on demand: most programs never verify.
  const { verify } = await import("./verify.js");
  return await verify(storage);
}
