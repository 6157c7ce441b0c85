import { dirname } from "node:path";
import type { FileSystem } from "../store/storage/file-system.js";

/** The directories of a store: creates them, and makes the way to a file durable. */
export class DirectoryTree {
  /** Directories that exist. */
  readonly #known = new Set<string>();
  /** Directories made by this process, also above the root. */
  readonly #made = new Set<string>();
  /** Directories whose own name is durable, as far as we can see to it: synced once by this process. */
  readonly #settled = new Set<string>();

  constructor(
    private readonly fileSystem: FileSystem,
    private readonly root: string,
  ) {}

  /** Creates the directory and all above it, where absent. */
  async ensure(directory: string): Promise<void> {
    if (this.#known.has(directory)) return;
    try {
      await this.#make(directory);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT" || dirname(directory) === directory) throw error;
      await this.ensure(dirname(directory));
      // Once more and no further: what is above exists by now, and may still take no directory (`/proc`, a link to nothing).
      await this.#make(directory);
    }
    this.#known.add(directory);
  }

  async #make(directory: string): Promise<void> {
    try {
      await this.fileSystem.makeDirectory(directory);
      this.#made.add(directory);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
  }

  /**
   * Makes the names in the directory durable, and the names of the directories that lead to it: those above the root too, as
   * an earlier process may have made them and died.
   */
  async sync(directory: string): Promise<void> {
    await this.fileSystem.syncDirectory(directory);
    for (let child = directory; !this.#settled.has(child) && dirname(child) !== child; child = dirname(child)) {
      await this.#syncParent(child);
      this.#settled.add(child);
    }
  }

  async #syncParent(child: string): Promise<void> {
    try {
      await this.fileSystem.syncDirectory(dirname(child));
    } catch (error) {
      if (this.#made.has(child)) throw error;
      // The store's own directory may have been made for us inside one that we may not read, or that cannot be synced.
      const errno = (error as NodeJS.ErrnoException).code;
      const isOurs = child.startsWith(this.root);
      if (isOurs && !(child === this.root && (errno === "EACCES" || errno === "EPERM"))) throw error;
    }
  }
}
