import { once } from "node:events";
import { fileStorage } from "../../src/platform/node/file-storage.js";

// A second process for lock-file.test.ts: says "ready", tries to take the lock at the first line it is sent, says how
// that went, and stays until it is ended.
process.stdout.write("ready\n");
await once(process.stdin, "data");
try {
  await fileStorage(process.argv[2] ?? "").lock();
  process.stdout.write("locked\n");
} catch (error) {
  process.stdout.write(`${(error as { code?: string }).code}\n`);
}
