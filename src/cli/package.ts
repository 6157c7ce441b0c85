import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The directory of this package: the nearest one above this file, source or built, with a package.json. */
export function packageRoot(): string {
  let directory = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(directory, "package.json"))) {
    const parent = dirname(directory);
    if (parent === directory) throw new Error("the program is not inside its package: no package.json above it");
    directory = parent;
  }
  return directory;
}

/** The public URL of a file in the repository, from `repository` of package.json. */
export function publicAddress(path: string, root = packageRoot()): string {
  const { repository } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { readonly repository: { readonly url: string } };
  return `${repository.url.replace(/^git\+/, "").replace(/\.git$/, "")}/blob/main/${path}`;
}
