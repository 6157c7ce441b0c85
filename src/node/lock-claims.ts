import { join } from "node:path";
import type { FileStat, FileSystem } from "../store/storage/file-system.js";
import { ownerOf } from "./private-file.js";
import type { ProcessIdentity, ProcessTable } from "./process-table.js";
import { isMissing } from "./storage-error.js";

/** What the names of all claims begin with. */
export const CLAIM_STEM = "LOCK";

/** What a claim holds once it is the lock. */
export const HELD = new TextEncoder().encode("held\n");

/** Stamps a lock with the time of the file system, and never creates one. That a full disk refuses its text changes nothing: its length stays. */
export async function renewClaim(fileSystem: FileSystem, path: string): Promise<void> {
  const file = await fileSystem.open(path, "update");
  try {
    await file.write(HELD, 0).catch(() => file.truncate(HELD.byteLength));
  } finally {
    await file.close();
  }
}

/** Somebody else's claim, as it was found. Ages are ms. */
export interface OtherClaim {
  readonly name: string;
  readonly owner: ProcessIdentity;
  /** False: renewals alone tell. */
  readonly isSeen: boolean;
  readonly isHeld: boolean;
  readonly modifiedMs: number;
  /** How long it has not been renewed. */
  readonly ageMs: number;
}

export function isClaim(name: string): boolean {
  return name.startsWith(`${CLAIM_STEM}~`) && ownerOf(name) !== null;
}

/** The claims in one directory. */
export class LockClaims {
  /** Since when, by our own clock, a claim is known not to have been renewed. */
  readonly #watched = new Map<string, { readonly modifiedMs: number; readonly sinceMs: number }>();

  constructor(
    readonly fileSystem: FileSystem,
    readonly directory: string,
    readonly processes: ProcessTable,
  ) {}

  /**
   * All but one's own; null where that is gone: somebody took us for ended. Claims of processes that have certainly ended are
   * removed: as names are never used again, this cannot hit one in use.
   * @param aheadMsMax how far the stamp of one that cannot be seen may lie in the future
   */
  async ofOthers(ownName: string, aheadMsMax: number): Promise<OtherClaim[] | null> {
    const nowMs = (await this.stat(ownName))?.modifiedMs;
    if (nowMs === undefined) return null;
    const claims: OtherClaim[] = [];
    for (const { name } of await this.fileSystem.readDirectory(this.directory)) {
      const owner = name !== ownName && isClaim(name) ? ownerOf(name) : null;
      if (owner === null) continue;
      const state = this.processes.stateOf(owner);
      if (state === "ended") await this.remove(name);
      else {
        let stat = await this.stat(name);
        if (state === "unknown" && stat !== null && stat.modifiedMs > nowMs + aheadMsMax) stat = await this.#restamp(name);
        if (stat === null) continue;
        const { modifiedMs, byteLength } = stat;
        claims.push({ name, owner, isSeen: state === "running", isHeld: byteLength > 0, modifiedMs, ageMs: this.#ageMs(name, modifiedMs, nowMs) });
      }
    }
    return claims;
  }

  /** Null where there is none. */
  async stat(name: string): Promise<FileStat | null> {
    try {
      return await this.fileSystem.stat(join(this.directory, name));
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
  }

  async remove(name: string): Promise<void> {
    try {
      await this.fileSystem.unlink(join(this.directory, name));
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
  }

  /**
   * A stamp of the future would count until that has come, for programs that look and end. From now on it ages like any other: an owner that
   * lives renews it long before it is old.
   */
  async #restamp(name: string): Promise<FileStat | null> {
    // One that is not ours to write is watched.
    await renewClaim(this.fileSystem, join(this.directory, name)).catch(() => undefined);
    return this.stat(name);
  }

  /**
   * By the stamps of the file system, which need no clocks that agree; or as long as it has been watched, for the clock of a
   * file system may be set back a little.
   * @param nowMs the stamp of a file made now
   */
  #ageMs(name: string, modifiedMs: number, nowMs: number): number {
    let watched = this.#watched.get(name);
    if (watched?.modifiedMs !== modifiedMs) {
      watched = { modifiedMs, sinceMs: performance.now() };
      this.#watched.set(name, watched);
    }
    return Math.max(nowMs - modifiedMs, performance.now() - watched.sinceMs);
  }
}
