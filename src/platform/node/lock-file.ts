import { join } from "node:path";
import type { FileStat, FileSystem } from "../../store/storage/file-system.js";
import { ownerOf, createPrivateFile, isMissing, nullIfMissing, attempt, type PrivateFile } from "./private-files.js";
import { isSameProcess, type ProcessIdentity, type ProcessTable } from "./process-table.js";
import { OPEN_TWICE_ADVICE, type StorageLock } from "../../store/storage/storage.js";
import { setTimeout as sleep } from "node:timers/promises";
import { DaybookError } from "../../core/base/errors.js";
import { SERVER_LIMITS } from "../../core/base/server-limits.js";

const CLAIM_STEM = "LOCK";

/** Content of a claim once it is the lock. */
const HELD = new TextEncoder().encode("held\n");

/** Writes the content again, or truncates to the same length on a full disk, to update the modification time; never creates the file. */
async function renewClaim(fileSystem: FileSystem, path: string): Promise<void> {
  const file = await fileSystem.open(path, "update");
  try {
    await file.write(HELD, 0).catch(() => file.truncate(HELD.byteLength));
  } finally {
    await file.close();
  }
}

interface OtherClaim {
  readonly name: string;
  readonly owner: ProcessIdentity;
  /** Whether the owner is visible from here; if not, only renewals show that it runs. */
  readonly isVisible: boolean;
  readonly isHeld: boolean;
  readonly modifiedMs: number;
  /** Time since the last renewal, in ms. */
  readonly ageMs: number;
}

export function isClaim(name: string): boolean {
  return name.startsWith(`${CLAIM_STEM}~`) && ownerOf(name) !== null;
}

export class LockClaims {
  /** Since when, by this process's clock, each claim has not been renewed. */
  readonly #unrenewed = new Map<string, { readonly modifiedMs: number; readonly sinceMs: number }>();

  constructor(
    readonly fileSystem: FileSystem,
    readonly directory: string,
    readonly processes: ProcessTable,
  ) {}

  /**
   * All claims but our own; null if ours is gone because another process considered this one ended. Removes claims of processes that have certainly
   * ended; names are never reused, so none of them is in use.
   * @param aheadMsMax how far in the future the time stamp of an invisible owner may be
   */
  async others(ownName: string, aheadMsMax: number): Promise<OtherClaim[] | null> {
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
        claims.push({ name, owner, isVisible: state === "running", isHeld: byteLength > 0, modifiedMs, ageMs: this.#ageMs(name, modifiedMs, nowMs) });
      }
    }
    return claims;
  }

  /** Null if the claim is missing. */
  stat(name: string): Promise<FileStat | null> {
    return this.fileSystem.stat(join(this.directory, name)).catch(nullIfMissing);
  }

  async remove(name: string): Promise<void> {
    await this.fileSystem.unlink(join(this.directory, name)).catch(nullIfMissing);
  }

  /** A time stamp in the future would keep the claim valid until then. A running owner renews a new one long before it expires. */
  async #restamp(name: string): Promise<FileStat | null> {
    // A claim that this process may not write ages by `#unrenewed` alone.
    await renewClaim(this.fileSystem, join(this.directory, name)).catch(() => undefined);
    return this.stat(name);
  }

  /** By stamps of the file system, or `#unrenewed` if longer: its clock may be set back. @param nowMs the time stamp of a file created now */
  #ageMs(name: string, modifiedMs: number, nowMs: number): number {
    let entry = this.#unrenewed.get(name);
    if (entry?.modifiedMs !== modifiedMs) {
      entry = { modifiedMs, sinceMs: performance.now() };
      this.#unrenewed.set(name, entry);
    }
    return Math.max(nowMs - modifiedMs, performance.now() - entry.sinceMs);
  }
}

/** A lock that this process holds, renewed until it is released or lost. Does not keep the process alive. */
export class HeldLock implements StorageLock {
  readonly lost: Promise<void>;
  #lose: () => void = () => undefined;
  #isLost = false;
  #isReleased = false;
  #timer: NodeJS.Timeout | null = null;
  /** The current renewal; never rejects. */
  #renewal: Promise<void> = Promise.resolve();

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
      await attempt("check the lock of", "", () => this.#check());
    } catch (error) {
      // Released during the check.
      if (!this.#isLost && !this.#isReleased) throw error;
    }
    return !this.#isLost && !this.#isReleased;
  }

  async release(): Promise<void> {
    this.#isReleased = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    await this.#renewal;
    await attempt("unlock", "", async () => void (await this.fileSystem.unlink(this.path).catch(nullIfMissing)));
  }

  async #check(): Promise<void> {
    try {
      await this.fileSystem.stat(this.path);
    } catch (error) {
      this.#loseIfMissing(error);
      throw error;
    }
  }

  #renewLater(): void {
    if (this.#isReleased || this.#isLost) return;
    // Weak: a lock that the program dropped without release must not be renewed forever, or keep its store in memory.
    const weak = new WeakRef(this);
    this.#timer = setTimeout(() => {
      const lock = weak.deref();
      if (lock !== undefined) lock.#renewal = lock.#renew().then(() => lock.#renewLater());
    }, this.renewMs);
    this.#timer.unref();
  }

  /** Does not recreate a file that another process removed to take over. Other errors are ignored: `isHeld` is called before every answer. */
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

// Every contender first creates a claim (a file whose unique name identifies the process), then reads the claims of others. There is never a second
// holder: its claim would have been created while that of the first existed, so it would have found that one. Of claims created at the same time,
// the one with the smallest name stays, and its owner waits until the others are removed. A claim with content is a held lock, which its holder
// renews. The claim of a process that is not visible from here counts while it is renewed; afterwards the new holder removes it before reading
// anything. A holder that resumes finds its claim missing: it checks before every answer and before every rename.
const POLL_MS = 5;
const CONTEND_MS_MAX = 2_000;
const RENEWAL_SHARE = SERVER_LIMITS.lockRenewMs / SERVER_LIMITS.lockLeaseMs;
/** Extra time to wait beyond the lease, because other contenders may briefly hold claims. */
const GRACE_MS = 4_000;

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
  /** How long a claim counts without renewal, in ms; the same for all processes that share a directory. */
  readonly leaseMs: number;
  /** Called before waiting. Absent: does not wait. */
  readonly onWait: ((wait: LockWait) => void) | undefined;
}

/** Syncs nothing: a power loss ends every holder. @throws store_locked; while waiting, as soon as the owner turns out to be running */
export async function takeLock(claims: LockClaims, terms: LockTerms): Promise<HeldLock> {
  const startedMs = performance.now();
  const awaited = new Set<string>();
  for (;;) {
    const outcome = await contend(claims, terms.leaseMs);
    if (outcome instanceof HeldLock) return outcome;
    const waitedMs = performance.now() - startedMs;
    if (terms.onWait === undefined || waitedMs > terms.leaseMs + GRACE_MS) throw lockedBy(outcome, claims, terms);
    if (!outcome.isHeld) await sleep(SERVER_LIMITS.lockLookMs);
    else {
      // A claim that is younger than this wait belongs to a contender that was faster.
      const isNew = !awaited.has(outcome.name) && awaited.size > 0 && outcome.ageMs < waitedMs;
      if (outcome.isVisible || isNew) throw lockedBy(outcome, claims, terms);
      await waitForExpiry(outcome, claims, terms, awaited);
    }
  }
}

/** Resolves when the claim is removed or has expired. @throws store_locked (it is renewed) */
async function waitForExpiry(claim: OtherClaim, claims: LockClaims, terms: LockTerms, awaited: Set<string>): Promise<void> {
  const startedMs = performance.now();
  for (;;) {
    const leftMs = terms.leaseMs - claim.ageMs - (performance.now() - startedMs);
    await sleep(Math.max(POLL_MS, Math.min(leftMs, SERVER_LIMITS.lockLookMs)));
    const stat = await claims.stat(claim.name);
    if (stat === null) return;
    if (stat.modifiedMs !== claim.modifiedMs) throw lockedBy({ ...claim, ageMs: 0 }, claims, terms);
    if (leftMs <= SERVER_LIMITS.lockLookMs) return;
    if (!awaited.has(claim.name)) {
      awaited.add(claim.name);
      terms.onWait?.(lockWaitOf({ ...claim, ageMs: terms.leaseMs - leftMs }, terms));
    }
  }
}

/** One attempt: returns the lock, or the claim that blocks it. */
async function contend(claims: LockClaims, leaseMs: number): Promise<HeldLock | OtherClaim> {
  const own = await createPrivateFile(claims.fileSystem, claims.directory, CLAIM_STEM, claims.processes);
  let outcome: HeldLock | OtherClaim | null = null;
  try {
    const found = await awaitOthers(own, claims, leaseMs);
    if (found === null) return await contend(claims, leaseMs);
    const { blocker, abandoned } = found;
    if (blocker === null) await own.file.write(HELD, 0);
    outcome = blocker ?? (await removeAbandoned(abandoned, claims)) ?? new HeldLock(claims.fileSystem, own.path, leaseMs * RENEWAL_SHARE);
    return outcome;
  } finally {
    await own.file.close();
    if (!(outcome instanceof HeldLock)) await claims.remove(own.name);
  }
}

interface LockContenders {
  /** The claim that has precedence; null: none. */
  readonly blocker: OtherClaim | null;
  readonly abandoned: readonly OtherClaim[];
}

/** Waits while others contend at the same time; null if this process stalled for so long that its own claim is gone. */
async function awaitOthers(own: PrivateFile, claims: LockClaims, leaseMs: number): Promise<LockContenders | null> {
  for (let waitedMs = 0; ; waitedMs += POLL_MS) {
    const others = await claims.others(own.name, leaseMs * RENEWAL_SHARE);
    if (others === null) return null;
    const active = others.filter(({ isVisible, ageMs }) => isVisible || ageMs <= leaseMs);
    if (active.length === 0) return { blocker: null, abandoned: others };
    const blocker = active.find(({ isHeld }) => isHeld) ?? active.find(({ name }) => name < own.name || waitedMs >= CONTEND_MS_MAX);
    if (blocker !== undefined) return { blocker, abandoned: [] };
    await sleep(POLL_MS);
  }
}

/** Takes over by removing claims. Returns a claim that was renewed meanwhile, whose owner is running; else null. */
async function removeAbandoned(abandoned: readonly OtherClaim[], claims: LockClaims): Promise<OtherClaim | null> {
  for (const claim of abandoned) {
    const stat = await claims.stat(claim.name);
    if (stat !== null && stat.modifiedMs !== claim.modifiedMs) return { ...claim, ageMs: 0 };
    await claims.remove(claim.name);
  }
  return null;
}

const seconds = (ms: number) => `${Math.max(0, Math.ceil(ms / 1_000))} s`;

function ownerText({ name, owner: { pid, host }, ageMs }: OtherClaim): string {
  const owner = `process ${pid} on host ${host}, which cannot be seen from here`;
  return `The store is open in ${owner}: its lock file ${name} was last renewed ${seconds(ageMs)} ago`;
}

function lockWaitOf(claim: OtherClaim, { leaseMs }: LockTerms): LockWait {
  const { name, owner, ageMs } = claim;
  const takeoverMs = Math.max(0, Math.ceil(leaseMs - ageMs));
  const message = `${ownerText(claim)}; waiting up to ${seconds(takeoverMs)} for it.`;
  return { message, pid: owner.pid, host: owner.host, lockFile: name, takeoverMs };
}

function lockedBy(claim: OtherClaim, { processes }: LockClaims, { leaseMs }: LockTerms): DaybookError {
  const { name, owner, isVisible, ageMs } = claim;
  const details = { pid: owner.pid, host: owner.host, lockFile: name };
  if (isSameProcess(owner, processes.current)) {
    const where = `this process (pid ${owner.pid}), as its lock file ${name} says`;
    return new DaybookError("store_locked", `The store is already open in ${where}: ${OPEN_TWICE_ADVICE}`, details);
  }
  const advice = `its lock file ${name} says: close it there first.`;
  if (isVisible) return new DaybookError("store_locked", `The store is open in process ${owner.pid}, as ${advice}`, details);
  const takeoverMs = Math.max(0, Math.ceil(leaseMs - ageMs));
  const message = `${ownerText(claim)}, and can be taken over in ${seconds(takeoverMs)} unless it is renewed.`;
  return new DaybookError("store_locked", message, { ...details, renewedAgoMs: Math.max(0, Math.floor(ageMs)), takeoverMs });
}
