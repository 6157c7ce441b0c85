import { lstat, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { daybookHere } from "../../cli/run-here.js";
import { openDaybook } from "../../../src/index.js";
import { fileStorage, saltFile } from "../../../src/platform/node/index.js";
import { kernelFileSystem } from "../../../src/platform/node/kernel-file-system.js";
import { writeFileAnew } from "../../../src/platform/node/private-files.js";

let directory = "";
let outside = "";
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "daybook-links-"));
  outside = join(directory, "outside");
  await writeFile(outside, "theirs");
  await mkdir(join(directory, "store"));
});
afterEach(async () => {
  expect(await readFile(outside, "utf8")).toBe("theirs");
  await rm(directory, { recursive: true });
});

const bytes = new TextEncoder().encode("ours");

/** A link in the store: to a file that is not the store's, or to nothing. */
async function linked(name: string, target = outside): Promise<string> {
  const path = join(directory, "store", name);
  await symlink(target, path);
  return path;
}

// Links need a right of their own on Windows.
describe.skipIf(process.platform === "win32")("a link in the place of a file", () => {
  test.each(["update", "append", "create"] as const)("is not opened to %s", async (mode) => {
    const path = await linked("a");
    const nowhere = await linked("b", join(directory, "nowhere"));
    const code = mode === "create" ? "EEXIST" : "ELOOP";
    for (const each of [path, nowhere]) await expect(kernelFileSystem.open(each, mode)).rejects.toMatchObject({ code });
    await expect(lstat(join(directory, "nowhere"))).rejects.toMatchObject({ code: "ENOENT" });
  });

  test("is not appended to nor made durable by a storage, and an object that is written takes its place", async () => {
    const storage = fileStorage(join(directory, "store"));
    const path = await linked("a");
    await expect(storage.openAppend("a")).rejects.toMatchObject({ code: "invalid_parameter", message: expect.stringContaining("could not open a: it is a symbolic link") });
    await expect(storage.sync(["a"])).rejects.toMatchObject({ code: "invalid_parameter" });
    await storage.write("a", bytes);
    expect((await lstat(path)).isSymbolicLink()).toBe(false);
    expect(await readFile(path, "utf8")).toBe("ours");
  });

  test("is written by no backup", async () => {
    const daybook = await openDaybook({ storage: fileStorage(join(directory, "kept")) });
    await daybook.ingest([{ name: "a" }]);
    await daybook.seal();
    const backup = fileStorage(join(directory, "store"));
    await daybook.backup(backup);
    for (const key of await backup.list("")) {
      await rm(join(directory, "store", key));
      await linked(key);
    }
    await daybook.ingest([{ name: "b" }]);
    await daybook.backup(fileStorage(join(directory, "store"))).catch(() => undefined);
    await daybook.close();
  });

  test("takes no salts", async () => {
    const path = await linked("salts");
    await expect(saltFile(path).keep(bytes)).rejects.toThrow(`${path}: is a symbolic link, and files are not written through links: name the file itself`);
  });

  test("takes no export, to a file or to nothing, gzipped or not", async () => {
    const data = join(directory, "data");
    await writeFile(join(directory, "a.ndjson"), '{"name":"a"}\n');
    await daybookHere(["import", "--data", data, join(directory, "a.ndjson")]);
    const nowhere = join(directory, "nowhere");
    for (const path of [await linked("a.ndjson"), await linked("b.csv.gz"), await linked("c.ndjson", nowhere)]) {
      const { code, stderr } = await daybookHere(["export", "--data", data, "--out", path]);
      expect([code, stderr]).toEqual([1, `daybook export: ${path}: is a symbolic link, and files are not written through links: name the file itself\n`]);
    }
    await expect(lstat(nowhere)).rejects.toMatchObject({ code: "ENOENT" });
    expect((await daybookHere(["export", "--data", data, "--out", await linked("null.ndjson", "/dev/null")])).code).toBe(0);
  });
});

test("A file is made, and made anew.", async () => {
  const path = join(directory, "file");
  for (const text of ["longer", "new"]) {
    await pipeline([text], await writeFileAnew(path));
    expect(await readFile(path, "utf8")).toBe(text);
  }
});
