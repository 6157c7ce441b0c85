import { readFileSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "./package-root.js";

/** The public URL of a file in the repository. Only `repository` of package.json defines it. */
export function publicAddress(path: string, root = packageRoot()): string {
  const { repository } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { readonly repository: { readonly url: string } };
  return `${repository.url.replace(/^git\+/, "").replace(/\.git$/, "")}/blob/main/${path}`;
}
