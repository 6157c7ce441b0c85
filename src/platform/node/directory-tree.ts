import { dirname } from "node:path";
import type { FileSystem } from "../../store/storage/file-system.js";

/** The directories of a store: creates them, and makes the names along the path to a file durable. */
export class DirectoryTree {
  readonly #existing = new Set<string>();
  /** Directories created by this process, including those above the root. */
  readonly #created = new Set<string>();
  /** Directories whose own name is durable, as far as this process can tell: it has synced them once. */
  readonly #durable = new Set<string>();

  constructor(
    private readonly fileSystem: FileSystem,
    private readonly root: string,
  ) {}

  /** Creates a directory and its parents where they are missing. */
  async ensure(directory: string): Promise<void> {
    if (this.#existing.has(directory)) return;
    try {
      await this.#make(directory);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT" || dirname(directory) === directory) throw error;
      await this.ensure(dirname(directory));
      // Only one retry: the parent exists now, but may still not accept directories (`/proc`, a dangling link).
      await this.#make(directory);
    }
    this.#existing.add(directory);
  }

  async #make(directory: string): Promise<void> {
    try {
      await this.fileSystem.makeDirectory(directory);
      this.#created.add(directory);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
  }

  /**
   * Makes the names in a directory durable, and those of the directories leading to it, including those above the root: an earlier process may have
   * created them and died before syncing.
   */
  async sync(directory: string): Promise<void> {
    await this.fileSystem.syncDirectory(directory);
    for (let child = directory; !this.#durable.has(child) && dirname(child) !== child; child = dirname(child)) {
      await this.#syncParent(child);
      this.#durable.add(child);
    }
  }

  async #syncParent(child: string): Promise<void> {
    try {
      await this.fileSystem.syncDirectory(dirname(child));
    } catch (error) {
      if (this.#created.has(child)) throw error;
      // The store's directory may lie in one that this process may not read, or that cannot be synced.
      const errno = (error as NodeJS.ErrnoException).code;
      const isOurs = child.startsWith(this.root);
      if (isOurs && !(child === this.root && (errno === "EACCES" || errno === "EPERM"))) throw error;
    }
  }
}
