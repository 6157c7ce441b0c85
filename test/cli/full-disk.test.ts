import { readdirSync } from "node:fs";
import { expect, test, vi } from "vitest";
import { dataDirectory } from "../../src/platform/node/data-directory.js";
import { changeTokens, storedTokens } from "../../src/cli/token-store.js";
import { diskReserve } from "../../src/platform/node/index.js";
import { RESERVE_NAME } from "../../src/platform/node/disk-reserve.js";
import { kernelFileSystem } from "../../src/platform/node/kernel-file-system.js";
import { temporaryDirectory } from "../conformance/temporary-directory.js";

test("The storages of one directory share the room that is set aside.", async () => {
  const directory = temporaryDirectory();
  expect(diskReserve(directory)).toBe(diskReserve(`${directory}/`));
  expect(diskReserve(directory)).not.toBe(diskReserve(temporaryDirectory()));
});

test("On a full disk tokens are changed with the room set aside, and not without.", async () => {
  const directory = temporaryDirectory();
  const change = async () => changeTokens(await dataDirectory(directory), (records) => records);
  await change();
  await diskReserve(directory, { byteLength: 100_000 }).use(() => Promise.resolve());
  const { open } = kernelFileSystem;
  const noRoom = () => Promise.reject(Object.assign(new Error("full"), { code: "ENOSPC" }));
  const full = vi.spyOn(kernelFileSystem, "open").mockImplementation((path, mode) => {
    const isFull = readdirSync(directory).includes(RESERVE_NAME) || mode === "append";
    return mode !== "read" && isFull ? noRoom() : open(path, mode);
  });
  try {
    await change();
    expect(readdirSync(directory)).toEqual(["tokens.json"]);
    full.mockImplementation((path, mode) => (mode === "read" ? open(path, mode) : noRoom()));
    await expect(change()).rejects.toMatchObject({ code: "storage_full" });
  } finally {
    full.mockRestore();
  }
  expect(await storedTokens(directory)).toEqual([]);
});
