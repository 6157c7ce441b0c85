import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { DATA_SETS } from "../examples/demo/data-sets.js";
import { publicAddress } from "../src/cli/command.js";
import { ROOT } from "./cli/run.js";
import { pagesBelow } from "./pages.js";

const base = publicAddress("");
/** Bytes of real data that an installation may bring: more would be a burden to those who never run the demo. */
const DATA_BYTES_MAX = 1_000_000;

interface Link {
  readonly page: string;
  readonly target: string;
}

/** Links of Markdown pages, of inline code and fences nothing. */
function linksOf(page: string): Link[] {
  const text = readFileSync(join(ROOT, page), "utf8").replace(/```.*?```/gs, "");
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = ""]) => ({ page, target }));
}

const isRelative = ({ target }: Link) => !/^[a-z]+:/.test(target);
const pathOf = ({ page, target }: Link) => relative(ROOT, join(ROOT, dirname(page), target.replace(/#.*$/, "") || basename(page)));

describe("the package", () => {
  let shipped: ReadonlyMap<string, number> = new Map();
  beforeAll(() => {
    const listed = execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], { cwd: ROOT, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
    const [{ files }] = JSON.parse(listed) as [{ readonly files: readonly { readonly path: string; readonly size: number }[] }];
    shipped = new Map(files.map(({ path, size }) => [path, size]));
  });

  test("holds every page and file that its pages link to, or they link to a public address", () => {
    const pages = [...shipped.keys()].filter((path) => path.endsWith(".md"));
    expect(pages).toEqual(expect.arrayContaining(["README.md", "CHANGELOG.md", "SECURITY.md", "docs/reference/http.md", "examples/data/README.md"]));
    const links = pages.flatMap(linksOf);
    expect(links.length).toBeGreaterThan(20);
    const missing = links.filter((link) => isRelative(link) && ![...shipped.keys()].some((path) => path === pathOf(link) || path.startsWith(`${pathOf(link)}/`)));
    expect(missing).toEqual([]);
  });

  test("holds the data sets of the demo but the largest, with their terms, in less than a megabyte", () => {
    const absent = DATA_SETS.filter(({ file }) => !shipped.has(file)).map(({ organization }) => organization);
    expect(absent).toEqual(["online-retail"]);
    const byteLength = [...shipped].reduce((sum, [path, size]) => sum + (path.startsWith("examples/") ? size : 0), 0);
    expect(byteLength).toBeLessThan(DATA_BYTES_MAX);
  });
});

describe("the repository", () => {
  const links = pagesBelow("").flatMap(linksOf);

  test("holds what its pages link to", () => {
    expect(links.filter((link) => isRelative(link) && !existsSync(join(ROOT, pathOf(link))))).toEqual([]);
  });

  test("is linked by the address that package.json names, and has what is linked there", () => {
    expect(base).toMatch(/^https:\/\/[^ ]+\/blob\/main\/$/);
    const home = base.replace(/blob\/main\/$/, "");
    const manifest = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as Record<string, unknown>;
    expect([manifest["homepage"], manifest["bugs"]]).toEqual([`${home.slice(0, -1)}#readme`, `${home}issues`]);
    const own = links.filter(({ target }) => /\/blob\/[^/]+\//.test(target));
    expect(own.length).toBeGreaterThan(3);
    expect(own.filter(({ target }) => !target.startsWith(base) || !existsSync(join(ROOT, target.slice(base.length))))).toEqual([]);
  });
});

test("The README begins with how Daybook is installed, and what it says there is a package's name.", () => {
  const manifest = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { readonly name: string };
  const readme = readFileSync(join(ROOT, "README.md"), "utf8");
  const fences = [...readme.matchAll(/```(\w+)\n(.*?)```/gs)].map(([, language, text]) => [language, text]);
  expect(fences[0]).toEqual(["sh", `npm install ${manifest.name}\n`]);
  expect(fences[1]?.[0]).toBe("ts");
});
