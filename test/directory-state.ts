import { lstat, readFile, readdir } from "node:fs/promises";
import { join, relative } from "node:path";

/** Everything below a directory, itself too: kinds, contents and times of the last change. Equal states: not a byte was written between. */
export async function directoryState(root: string, directory = root): Promise<Record<string, string>> {
  const state: Record<string, string> = { [`${relative(root, directory)}/`]: `${(await lstat(directory)).mtimeMs}` };
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) Object.assign(state, await directoryState(root, path));
    else state[relative(root, path)] = `${(await lstat(path)).mtimeMs} ${(await readFile(path)).toString("base64")}`;
  }
  return state;
}
