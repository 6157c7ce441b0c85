import { dirname } from "node:path";
import type { FileSystem } from "../store/file-system.js";

/** The directories of a store: creates them, and makes the way to a file durable. */
export class DirectoryTree {
  /** Directories that exist. */
  readonly #known = new Set<string>();
  /** Directories made by this process, also above the root. */
  readonly #made = new Set<string>();
  /** Directories whose own name is durable: synced once by this process, as an earlier one may have died before. */
  readonly #settled = new Set<string>();

  constructor(
    private readonly fileSystem: FileSystem,
    private readonly root: string,
  ) {}

  /** Creates the directory and all above it, where absent. */
  async ensure(directory: string): Promise<void> {
    if (this.#known.has(directory)) return;
    try {
      await this.fileSystem.makeDirectory(directory);
      this.#made.add(directory);
    } catch (error) {
      const errno = (error as NodeJS.ErrnoException).code;
      if (errno === "ENOENT" && dirname(directory) !== directory) {
        await this.ensure(dirname(directory));
        return this.ensure(directory);
      }
      if (errno !== "EEXIST") throw error;
    }
    this.#known.add(directory);
  }

  /** Makes the names in the directory durable, and the names of the directories that lead to it. */
  async sync(directory: string): Promise<void> {
    await this.fileSystem.syncDirectory(directory);
    let child = directory;
    while (!this.#settled.has(child) && (child.startsWith(this.root) || this.#made.has(child))) {
      await this.#syncParent(child);
      this.#settled.add(child);
      child = dirname(child);
    }
  }

  async #syncParent(child: string): Promise<void> {
    try {
      await this.fileSystem.syncDirectory(dirname(child));
    } catch (error) {
      // The store's own directory may have been made for us inside one that we may not read.
      const errno = (error as NodeJS.ErrnoException).code;
      const foreign = child === this.root && !this.#made.has(child);
      if (!foreign || (errno !== "EACCES" && errno !== "EPERM")) throw error;
    }
  }
}
