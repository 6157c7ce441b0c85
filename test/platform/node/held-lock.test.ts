import { expect, test } from "vitest";
import type { FileSystem } from "../../../src/store/storage/file-system.js";
import { HeldLock } from "../../../src/platform/node/lock-file.js";

/** A file system with one file, at which a look takes until it is let go on. */
function slowLook(): { fileSystem: FileSystem; go: () => void } {
  let isThere = true;
  let go = (): void => undefined;
  const gate = new Promise<void>((resolve) => (go = resolve));
  const fileSystem: Partial<FileSystem> = {
    stat: async () => {
      await gate;
      if (!isThere) throw Object.assign(new Error("no such file"), { code: "ENOENT" });
      return { modifiedMs: 0, byteLength: 0 };
    },
    unlink: () => {
      isThere = false;
      return Promise.resolve();
    },
  };
  return { fileSystem: fileSystem as FileSystem, go }; // A lock that is not renewed asks nothing else of it.
}

test("a lock that is given back while it is looked at is not held, and that is no failure", async () => {
  const { fileSystem, go } = slowLook();
  const lock = new HeldLock(fileSystem, "the lock", 60_000);
  const looked = lock.isHeld();
  await lock.release();
  go();
  expect([await looked, lock.isReleased]).toEqual([false, true]);
});
