import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { StoresOnDisk } from "../../src/cli/served-stores.js";
import { openDaybook } from "../../src/index.js";
import { dataDirectory } from "../../src/platform/node/data-directory.js";
import { fileStorage } from "../../src/platform/node/index.js";
import { emptyDirectory } from "./run.js";

async function started(path: string, maxOpen: number): Promise<StoresOnDisk> {
  const stores = new StoresOnDisk(await dataDirectory(path), { currency: undefined, maxOpen }, () => false);
  onTestFinished(() => stores.close());
  await stores.start();
  return stores;
}

async function withOrganizations(...names: readonly string[]): Promise<string> {
  const path = await emptyDirectory();
  for (const name of names) await (await openDaybook({ storage: fileStorage(join(path, name)) })).close();
  return path;
}

test("organizations that fit are opened at the start, and only the default one of more", async () => {
  const path = await withOrganizations("acme", "globex");
  const [all, none] = [await started(path, 2), await started(await withOrganizations("acme", "globex"), 1)];
  expect([all.opened().length, none.opened().length]).toEqual([3, 1]);
  expect(await all.organizations.names()).toEqual(["acme", "default", "globex"]);
});

test("the default organization stays open, so that a second server fails", async () => {
  const path = await withOrganizations("acme", "globex");
  const stores = await started(path, 1);
  for (const name of ["acme", "globex"]) await stores.organizations.use(name, (daybook) => daybook.countEvents({}));
  expect(stores.opened().length).toBe(2);
  await expect(started(path, 1)).rejects.toMatchObject({ code: "store_locked" });
});

test("missing organizations are created, and existing ones not opened", async () => {
  const path = await withOrganizations("acme", "globex");
  const stores = await started(path, 1);
  await stores.ensure(["acme", "globex"]);
  expect(stores.opened().length).toBe(1);
  await stores.ensure(["initech"]);
  expect([stores.opened().length, await stores.organizations.names()]).toEqual([2, ["acme", "default", "globex", "initech"]]);
});

test("a start fails if an organization is locked that would be opened", async () => {
  const path = await withOrganizations("acme");
  const other = await openDaybook({ storage: fileStorage(join(path, "acme")) });
  await expect(started(path, 5)).rejects.toMatchObject({ code: "store_locked" });
  await other.close();
});
