import { DaybookError } from "../../core/base/errors.js";
import { LIMITS } from "../../core/base/limits.js";
import { areSameBytes } from "../../core/base/same-bytes.js";
import { Turns } from "../../core/base/turn.js";
import type { DictionaryDelta } from "../../storage/column/dictionaries.js";
import type { Batch, RecordBatch } from "../batch/batch.js";
import { decodeBatch, decodeRecords } from "../batch/batch-bytes.js";
import { MANIFEST_KEY, decodeManifest } from "../files/manifest.js";
import { journalKey } from "../journal/journal.js";
import { FRAME_KINDS } from "../journal/journal-frame.js";
import type { Frame } from "../journal/journal-frame.js";
import type { Store } from "../live/store.js";
import { JournalTail } from "./journal-tail.js";
import type { FoundFrame } from "./journal-tail.js";
import { otherState } from "./other-state.js";
import { applyManifest } from "./apply-manifest.js";
import { WatchedObject } from "./watched-object.js";

/** Cost of adding a row to a head, in values. */
const VALUES_PER_ROW = 64;

/** Callbacks for changes by another writer. */
export interface FollowerHooks {
  /** Called before anything is applied. @throws corruption if the files belong to another store */
  readonly refuseOther: () => Promise<void>;
  /** A commit is visible. @param batch null if it has only records */
  readonly committed: (batch: Batch | null, hasRecords: boolean) => void;
  /** Commits of unknown content are visible. */
  readonly changed: () => void;
  /** Called synchronously when rows and records are replaced: drops what was derived from them. */
  readonly forget: (goneProjects: readonly string[]) => void;
  /** @param whenUnread resolves once no query reads what a seal, compaction, erasure or deletion removed */
  readonly removed: (whenUnread: Promise<void>) => void;
}

/** Keeps a read-only store up to date with its writer, possibly in another process: commit by commit, manifest by manifest. */
export class Follower {
  readonly #manifest: WatchedObject;
  readonly #tail: JournalTail;

  constructor(
    readonly store: Store,
    readonly hooks: FollowerHooks,
  ) {
    this.#manifest = new WatchedObject(store.storage, MANIFEST_KEY, null);
    this.#tail = new JournalTail(store.storage, store.foundEnd, store.nextSequence);
  }

  /**
   * Applies what the writer did since the last call; calls must not overlap. Cost: three short reads if nothing changed, else the changes.
   * @returns whether a commit waits for a later call
   * @throws manifest_missing, corruption, overloaded: what is visible stays as it was
   */
  async look(): Promise<boolean> {
    let damage: string | null = null;
    for (let attempt = 1; attempt <= LIMITS.followTryCount; attempt += 1) {
      const newer = await this.#manifest.changed();
      try {
        if (newer !== null) await this.#takeManifest(newer.bytes);
        const { frames, isWaiting } = await this.#tail.read();
        // Rows committed after an erasure must not be visible before it.
        if (frames.length > 0 && (await this.#manifest.changed()) !== null) continue;
        if (frames.length > 0) await this.hooks.refuseOther();
        await this.#takeFrames(frames);
        return isWaiting;
      } catch (error) {
        const now = await this.#manifest.changed();
        if (!areSameBytes(now?.bytes ?? null, newer?.bytes ?? null)) continue;
        // Frames cut off while being read also look damaged, but only once.
        if (!(error instanceof DaybookError) || error.code !== "corruption" || error.message === damage) throw error;
        damage = error.message;
      }
    }
    throw new DaybookError("overloaded", "a writer replaces the files of the store faster than they can be read");
  }

  async #takeManifest(bytes: Uint8Array | null): Promise<void> {
    if (bytes === null) throw new DaybookError("manifest_missing", "the store no longer exists: its manifest is missing", { key: MANIFEST_KEY });
    await this.hooks.refuseOther();
    const manifest = decodeManifest(bytes);
    const { hasUnseen, whenUnread } = await applyManifest(this.store, manifest, { journal: this.#tail.place.number, sequence: this.#tail.sequence }, this.hooks.forget);
    this.#manifest.saw(bytes);
    this.#tail.skipTo(manifest.firstJournal, manifest.nextSequence);
    if (hasUnseen) this.hooks.changed();
    if (whenUnread !== null) this.hooks.removed(whenUnread);
  }

  async #takeFrames(frames: readonly FoundFrame[]): Promise<void> {
    const turns = new Turns();
    for (const found of frames) {
      const rowCount = await this.#takeFrame(found);
      await turns.took(rowCount * VALUES_PER_ROW);
    }
  }

  async #takeFrame(found: FoundFrame): Promise<number> {
    const { store, hooks } = this;
    const { frame, end } = found;
    if (end.number > this.#tail.place.number) store.catalog.freezeHeads();
    if (frame.kind !== FRAME_KINDS.end) {
      const { deltas, batch, records } = commitOf(frame);
      for (const delta of deltas)
        if (!store.dictionaries.apply(delta)) throw otherState(journalKey(end.number));
      await store.showCommit(batch, records, { first: frame.firstSequence, next: frame.firstSequence + frame.recordCount });
      if (records === null && batch?.rowCount === 0) hooks.changed();
      else hooks.committed(batch, records !== null);
    }
    this.#tail.took(found);
    store.readJournal(end.number, end.byteLength);
    return frame.recordCount;
  }
}

/** Decodes a commit: dictionary values with events or records; an empty batch means values alone. */
function commitOf({ kind, payload, firstSequence }: Frame): { deltas: DictionaryDelta[]; batch: Batch | null; records: RecordBatch | null } {
  if (kind !== FRAME_KINDS.records) return { ...decodeBatch(payload), records: null };
  const { deltas, batch: records } = decodeRecords(payload, firstSequence);
  return { deltas, batch: null, records };
}
