import { join } from "node:path";
import type { FileStat, FileSystem } from "../../store/storage/file-system.js";
import { ownerOf } from "./private-file.js";
import type { ProcessIdentity, ProcessTable } from "./process-table.js";
import { isMissing } from "./storage-error.js";

/** Prefix of the names of all claims. */
export const CLAIM_STEM = "LOCK";

/** Content of a claim once it is the lock. */
export const HELD = new TextEncoder().encode("held\n");

/**
 * Sets a lock's modification time by writing its content, and never creates the file. If a full disk rejects the write, truncating to the same length
 * does it.
 */
export async function renewClaim(fileSystem: FileSystem, path: string): Promise<void> {
  const file = await fileSystem.open(path, "update");
  try {
    await file.write(HELD, 0).catch(() => file.truncate(HELD.byteLength));
  } finally {
    await file.close();
  }
}

/** Another process's claim, as it was found. Ages are in ms. */
export interface OtherClaim {
  readonly name: string;
  readonly owner: ProcessIdentity;
  /** False: only renewals show that the owner lives. */
  readonly isSeen: boolean;
  readonly isHeld: boolean;
  readonly modifiedMs: number;
  /** Time since the last renewal. */
  readonly ageMs: number;
}

export function isClaim(name: string): boolean {
  return name.startsWith(`${CLAIM_STEM}~`) && ownerOf(name) !== null;
}

/** The claims in one directory. */
export class LockClaims {
  /** Since when, by our own clock, a claim has been seen without a renewal. */
  readonly #watched = new Map<string, { readonly modifiedMs: number; readonly sinceMs: number }>();

  constructor(
    readonly fileSystem: FileSystem,
    readonly directory: string,
    readonly processes: ProcessTable,
  ) {}

  /**
   * All claims but our own; null if ours is gone because another process took us for ended. Removes claims of processes that have certainly ended:
   * names are never reused, so none is in use.
   * @param aheadMsMax how far in the future the stamp of an unseen owner may lie
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

  /** Null if the claim is missing. */
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
   * A stamp in the future would count until then, for programs that check once and exit. With a new stamp the claim ages like any other: a living
   * owner renews it long before it expires.
   */
  async #restamp(name: string): Promise<FileStat | null> {
    // A claim that we may not write is only watched.
    await renewClaim(this.fileSystem, join(this.directory, name)).catch(() => undefined);
    return this.stat(name);
  }

  /**
   * By the stamps of the file system, which need no synchronized clocks, or by how long it has been watched, whichever is longer: the clock of a file
   * system may be set back a little.
   * @param nowMs the stamp of a file created now
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
