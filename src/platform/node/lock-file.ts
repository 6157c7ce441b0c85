import { join } from "node:path";
import type { FileStat, FileSystem } from "../../store/storage/file-system.js";
import { ownerOf, createPrivateFile, isMissing, attempt, type PrivateFile } from "./private-files.js";
import { isSameProcess, type ProcessIdentity, type ProcessTable } from "./process-table.js";
import { OPEN_TWICE_ADVICE, type StorageLock } from "../../store/storage/storage.js";
import { setTimeout as sleep } from "node:timers/promises";
import { DaybookError } from "../../core/base/errors.js";
import { SERVER_LIMITS } from "../../core/base/server-limits.js";

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

/** A lock that this process holds, renewed until it is released or lost. Does not keep the process alive. */
export class HeldLock implements StorageLock {
  readonly lost: Promise<void>;
  #lose: () => void = () => undefined;
  #isLost = false;
  #isReleased = false;
  #timer: NodeJS.Timeout | null = null;
  /** Resolves, and never rejects, with the renewal under way. */
  #renewed: Promise<void> = Promise.resolve();

  constructor(
    private readonly fileSystem: FileSystem,
    private readonly path: string,
    private readonly renewMs: number,
  ) {
    this.lost = new Promise((resolve) => (this.#lose = resolve));
    this.#renewLater();
  }

  get isReleased(): boolean {
    return this.#isReleased;
  }

  async isHeld(): Promise<boolean> {
    if (this.#isLost || this.#isReleased) return false;
    try {
      await attempt("check the lock of", "", () => this.#look());
    } catch (error) {
      // Released during the check.
      if (!this.#isLost && !this.#isReleased) throw error;
    }
    return !this.#isLost && !this.#isReleased;
  }

  async release(): Promise<void> {
    this.#isReleased = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    await this.#renewed;
    await attempt("unlock", "", async () => {
      try {
        await this.fileSystem.unlink(this.path);
      } catch (error) {
        if (!isMissing(error)) throw error;
      }
    });
  }

  async #look(): Promise<void> {
    try {
      await this.fileSystem.stat(this.path);
    } catch (error) {
      this.#loseIfMissing(error);
      throw error;
    }
  }

  #renewLater(): void {
    if (this.#isReleased || this.#isLost) return;
    // A lock that the program dropped without release must not be renewed forever, nor keep its store in memory.
    const weak = new WeakRef(this);
    this.#timer = setTimeout(() => {
      const lock = weak.deref();
      if (lock !== undefined) lock.#renewed = lock.#renew().then(() => lock.#renewLater());
    }, this.renewMs);
    this.#timer.unref();
  }

  /** Never creates the file: another process removed it for good reason. Other errors are ignored: `isHeld` is called before every answer. */
  async #renew(): Promise<void> {
    try {
      await renewClaim(this.fileSystem, this.path);
    } catch (error) {
      this.#loseIfMissing(error);
    }
  }

  #loseIfMissing(error: unknown): void {
    if (!isMissing(error) || this.#isReleased) return;
    this.#isLost = true;
    this.#lose();
  }
}

// Every contender first creates a claim (a file whose unique name identifies the process), then reads the claims of others. If there were two
// holders, the later claim was created while the earlier one existed, so its owner would have seen it: there is never a second holder. Of claims
// created at the same time, the smallest name stays and waits for the rest to go. A claim with content is a held lock, which its holder renews. The
// claim of a process that cannot be seen counts while it is renewed; afterwards the new holder removes it before reading anything. A holder that
// resumes finds its claim gone: it checks before every answer and before every rename.
const pollMs = 5;
const waitMsMax = 2_000;
/** Share of the lease between two renewals. */
const renewalShare = SERVER_LIMITS.lockRenewMs / SERVER_LIMITS.lockLeaseMs;
/** Extra time for waiting beyond the lease, for other contenders that come and go. */
const graceMs = 4_000;

/** A lock that this process waits for. */
export interface LockWait {
  /** One sentence: who holds the lock, and how long waiting may take. */
  readonly message: string;
  readonly pid: number;
  readonly host: string;
  readonly lockFile: string;
  /** Ms until it can be taken over, unless it is renewed. */
  readonly takeoverMs: number;
}

export interface LockTerms {
  /** How long a claim without renewal counts, in ms; the same for all who share a directory. */
  readonly leaseMs: number;
  /** Called before waiting. Absent: does not wait. */
  readonly onWait: ((wait: LockWait) => void) | undefined;
}

/**
 * Takes the lock of an existing directory. Syncs nothing: a power loss ends every holder anyway.
 * @throws store_locked; when waiting, as soon as the owner turns out to be alive
 */
export async function takeLock(claims: LockClaims, terms: LockTerms): Promise<HeldLock> {
  const startedMs = performance.now();
  const awaited = new Set<string>();
  for (;;) {
    const outcome = await contend(claims, terms.leaseMs);
    if (outcome instanceof HeldLock) return outcome;
    const waitedMs = performance.now() - startedMs;
    if (terms.onWait === undefined || waitedMs > terms.leaseMs + graceMs) throw lockedBy(outcome, claims, terms);
    if (!outcome.isHeld) await sleep(SERVER_LIMITS.lockLookMs);
    else {
      // A claim younger than our wait belongs to another contender that was faster.
      const isNew = !awaited.has(outcome.name) && awaited.size > 0 && outcome.ageMs < waitedMs;
      if (outcome.isSeen || isNew) throw lockedBy(outcome, claims, terms);
      await untilOver(outcome, claims, terms, awaited);
    }
  }
}

/** Resolves once the claim is gone or old enough. @throws store_locked when it is renewed */
async function untilOver(claim: OtherClaim, claims: LockClaims, terms: LockTerms, awaited: Set<string>): Promise<void> {
  const startedMs = performance.now();
  for (;;) {
    const leftMs = terms.leaseMs - claim.ageMs - (performance.now() - startedMs);
    await sleep(Math.max(pollMs, Math.min(leftMs, SERVER_LIMITS.lockLookMs)));
    const stat = await claims.stat(claim.name);
    if (stat === null) return;
    if (stat.modifiedMs !== claim.modifiedMs) throw lockedBy({ ...claim, ageMs: 0 }, claims, terms);
    if (leftMs <= SERVER_LIMITS.lockLookMs) return;
    if (!awaited.has(claim.name)) {
      awaited.add(claim.name);
      terms.onWait?.(waitFor({ ...claim, ageMs: terms.leaseMs - leftMs }, terms));
    }
  }
}

/** One attempt: returns the lock, or the claim that blocks it. */
async function contend(claims: LockClaims, leaseMs: number): Promise<HeldLock | OtherClaim> {
  const own = await createPrivateFile(claims.fileSystem, claims.directory, CLAIM_STEM, claims.processes);
  let outcome: HeldLock | OtherClaim | null = null;
  try {
    const found = await untilAlone(own, claims, leaseMs);
    if (found === null) return await contend(claims, leaseMs);
    const { blocker, abandoned } = found;
    if (blocker === null) await own.file.write(HELD, 0);
    outcome = blocker ?? (await removeAll(abandoned, claims)) ?? new HeldLock(claims.fileSystem, own.path, leaseMs * renewalShare);
    return outcome;
  } finally {
    await own.file.close();
    if (!(outcome instanceof HeldLock)) await claims.remove(own.name);
  }
}

interface Contest {
  /** The claim that stays; null: none. */
  readonly blocker: OtherClaim | null;
  /** Claims that are no longer renewed. */
  readonly abandoned: readonly OtherClaim[];
}

/** Waits while others contend at the same time; null if this process stalled for so long that its own claim is gone. */
async function untilAlone(own: PrivateFile, claims: LockClaims, leaseMs: number): Promise<Contest | null> {
  for (let waitedMs = 0; ; waitedMs += pollMs) {
    const others = await claims.ofOthers(own.name, leaseMs * renewalShare);
    if (others === null) return null;
    const standing = others.filter(({ isSeen, ageMs }) => isSeen || ageMs <= leaseMs);
    if (standing.length === 0) return { blocker: null, abandoned: others };
    const blocker = standing.find(({ isHeld }) => isHeld) ?? standing.find(({ name }) => name < own.name || waitedMs >= waitMsMax);
    if (blocker !== undefined) return { blocker, abandoned: [] };
    await sleep(pollMs);
  }
}

/** Takes over by removing claims. Returns one that was renewed meanwhile: its owner is alive. */
async function removeAll(abandoned: readonly OtherClaim[], claims: LockClaims): Promise<OtherClaim | null> {
  for (const claim of abandoned) {
    const stat = await claims.stat(claim.name);
    if (stat !== null && stat.modifiedMs !== claim.modifiedMs) return { ...claim, ageMs: 0 };
    await claims.remove(claim.name);
  }
  return null;
}

const seconds = (ms: number) => `${Math.max(0, Math.ceil(ms / 1_000))} s`;

function openIn({ name, owner: { pid, host }, ageMs }: OtherClaim): string {
  return `The store is open in process ${pid} on host ${host}, which cannot be seen from here: its lock file ${name} was last renewed ${seconds(ageMs)} ago`;
}

function waitFor(claim: OtherClaim, { leaseMs }: LockTerms): LockWait {
  const { name, owner, ageMs } = claim;
  const takeoverMs = Math.max(0, Math.ceil(leaseMs - ageMs));
  const message = `${openIn(claim)}; waiting up to ${seconds(takeoverMs)} for it.`;
  return { message, pid: owner.pid, host: owner.host, lockFile: name, takeoverMs };
}

function lockedBy(claim: OtherClaim, { processes }: LockClaims, { leaseMs }: LockTerms): DaybookError {
  const { name, owner, isSeen, ageMs } = claim;
  const details = { pid: owner.pid, host: owner.host, lockFile: name };
  if (isSameProcess(owner, processes.current)) {
    const where = `this process (pid ${owner.pid}), as its lock file ${name} says`;
    return new DaybookError("store_locked", `The store is already open in ${where}: ${OPEN_TWICE_ADVICE}`, details);
  }
  const advice = `its lock file ${name} says: close it there first.`;
  if (isSeen) return new DaybookError("store_locked", `The store is open in process ${owner.pid}, as ${advice}`, details);
  const takeoverMs = Math.max(0, Math.ceil(leaseMs - ageMs));
  const message = `${openIn(claim)}, and can be taken over in ${seconds(takeoverMs)} unless it is renewed.`;
  return new DaybookError("store_locked", message, { ...details, renewedAgoMs: Math.max(0, Math.floor(ageMs)), takeoverMs });
}
