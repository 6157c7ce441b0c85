import { readFileSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "./package-root.js";

/** Where a file of the repository is to be had by everybody: what `repository` of package.json says, and nothing else does. */
export function publicAddress(path: string, root = packageRoot()): string {
  const { repository } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { readonly repository: { readonly url: string } };
  return `${repository.url.replace(/^git\+/, "").replace(/\.git$/, "")}/blob/main/${path}`;
}
