import { setTimeout as sleep } from "node:timers/promises";
import { DaybookError } from "../../core/base/errors.js";
import { SERVER_LIMITS } from "../../core/base/server-limits.js";
import { OPEN_TWICE_ADVICE } from "../../store/storage/storage.js";
import { HeldLock } from "./held-lock.js";
import { CLAIM_STEM, HELD, type LockClaims, type OtherClaim } from "./lock-claims.js";
import { type PrivateFile, createPrivateFile } from "./private-file.js";
import { isSameProcess } from "./process-table.js";

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
