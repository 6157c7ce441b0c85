import { DaybookError } from "../base/errors.js";
import { isKeyPart } from "../store/storage/key.js";
import { isMissing } from "./opfs-error.js";

/** The directories of a store below the origin's own, by their paths; `""` is the store's. */
export class OpfsDirectories {
  readonly #known = new Map<string, FileSystemDirectoryHandle>();

  constructor(private readonly store: string) {}

  /** The directory of a path; null where there is none. */
  async find(path: string): Promise<FileSystemDirectoryHandle | null> {
    try {
      return await this.#get(path, false);
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
  }

  /** The directory of a path, made where absent, with all above it. */
  make(path: string): Promise<FileSystemDirectoryHandle> {
    return this.#get(path, true);
  }

  /** Keys of all files that a key leads to, under a path that is empty or ends with a slash; in no order. */
  async *keys(path: string): AsyncGenerator<string> {
    const directory = await this.find(path.slice(0, -1));
    if (directory === null) return;
    for await (const [name, entry] of directory.entries()) {
      if (!isKeyPart(name)) continue;
      if (entry.kind === "file") yield `${path}${name}`;
      else yield* this.keys(`${path}${name}/`);
    }
  }

  async #get(path: string, create: boolean): Promise<FileSystemDirectoryHandle> {
    const known = this.#known.get(path);
    if (known !== undefined) return known;
    const slash = path.lastIndexOf("/");
    const directory = path === "" ? await originDirectory() : await this.#get(path.slice(0, Math.max(slash, 0)), create);
    const found = await directory.getDirectoryHandle(path === "" ? this.store : path.slice(slash + 1), { create });
    this.#known.set(path, found);
    return found;
  }
}

async function originDirectory(): Promise<FileSystemDirectoryHandle> {
  const { storage, locks } = (globalThis.navigator as Partial<Navigator> | undefined) ?? {};
  if (storage?.getDirectory === undefined || locks === undefined)
    throw new DaybookError("not_supported", "opfsStorage: expected a browser that has a private file system, and a page over https or of localhost");
  return await storage.getDirectory();
}
