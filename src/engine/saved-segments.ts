import { parameterError } from "../base/errors.js";
import { LIMITS } from "../base/limits.js";
import { compareCodePoints } from "../base/order.js";
import { checkSavedSegment } from "../plan/insights/saved-segment.js";
import type { Segment } from "../plan/insights/input.js";
import { normalEmail } from "../plan/subject.js";
import { decodeSavedSegments, encodeSavedSegments, SAVED_SEGMENTS_KEY } from "../store/files/saved-segments-file.js";
import type { SavedSegment as StoredSegment } from "../store/files/saved-segments-file.js";
import type { Store } from "../store/live/store.js";
import type { Storage } from "../store/storage/storage.js";
import type { SavedSegment, Segments } from "./daybook.js";
import type { Housekeeping } from "./housekeeping.js";
import type { IngestQueue } from "./ingest-queue.js";
import { checkPatterns } from "./settle.js";
import { textsOf } from "./segment-texts.js";

/** What saved segments need of their Daybook. */
export interface SegmentsHouse {
  readonly store: Store;
  readonly queue: IngestQueue;
  readonly housekeeping: Housekeeping;
  /** @throws closed */
  readonly refuseClosed: () => void;
}

/** Those of a store, as it is opened. @throws corruption */
export async function readSavedSegments(storage: Storage): Promise<readonly StoredSegment[]> {
  const bytes = await storage.read(SAVED_SEGMENTS_KEY);
  return bytes === null ? [] : decodeSavedSegments(bytes);
}

/** The saved segments of one store: all of them in one file, which is written anew, durably, with every change. */
export class StoredSegments implements Segments {
  readonly #house: SegmentsHouse;
  #byName: ReadonlyMap<string, StoredSegment>;

  constructor(house: SegmentsHouse, stored: readonly StoredSegment[]) {
    this.#house = house;
    this.#byName = new Map(stored.map((segment) => [segment.name, segment]));
  }

  /** A writer elsewhere has written others. */
  replaced(stored: readonly StoredSegment[]): void {
    this.#byName = new Map(stored.map((segment) => [segment.name, segment]));
  }

  /** As questions name them. */
  get known(): ReadonlyMap<string, unknown> {
    return new Map([...this.#byName].map(([name, { groups }]) => [name, { groups }]));
  }

  async put(name: string, segment: Segment): Promise<SavedSegment> {
    this.#house.refuseClosed();
    await checkPatterns(checkSavedSegment(name, segment));
    // What is kept is the caller's no more; dates are texts, and members that are undefined absent.
    const saved = JSON.parse(JSON.stringify({ name, groups: segment.groups })) as StoredSegment;
    await this.#change((byName) => {
      const changed = new Map([...byName, [name, saved]]);
      if (changed.size > LIMITS.savedSegmentCount) throw parameterError("invalid_parameter", "name", `expected at most ${LIMITS.savedSegmentCount} saved segments`);
      return changed;
    });
    return shown(saved);
  }

  async list(): Promise<readonly SavedSegment[]> {
    this.#house.refuseClosed();
    return [...this.#byName.values()].map(shown).sort((a, b) => compareCodePoints(a.name, b.name));
  }

  async delete(name: string): Promise<boolean> {
    this.#house.refuseClosed();
    let isThere = false;
    await this.#change((byName) => {
      isThere = byName.has(name);
      return isThere ? new Map([...byName].filter(([each]) => each !== name)) : byName;
    });
    return isThere;
  }

  /**
   * Deletes those in which an id or an email stands as a value or an item of a list. Nothing else is under way.
   * @param emails in the form in which they are compared
   */
  async forget(ids: ReadonlySet<string>, emails: ReadonlySet<string>): Promise<void> {
    const isTheirs = (text: string) => ids.has(text) || emails.has(normalEmail(text));
    const kept = [...this.#byName].filter(([, { groups }]) => !textsOf(groups).some(isTheirs));
    if (kept.length < this.#byName.size) await this.#write(new Map(kept));
  }

  #change(make: (byName: ReadonlyMap<string, StoredSegment>) => ReadonlyMap<string, StoredSegment>): Promise<void> {
    const { store, housekeeping, queue } = this.#house;
    return housekeeping.exclusive(queue, async () => {
      store.refuseUnwritable();
      const changed = make(this.#byName);
      if (changed !== this.#byName) await this.#write(changed);
    });
  }

  /** Makes changed segments durable, then current. */
  async #write(byName: ReadonlyMap<string, StoredSegment>): Promise<void> {
    const { store } = this.#house;
    const bytes = encodeSavedSegments([...byName.values()]);
    if (bytes.length > LIMITS.savedSegmentBytes) throw parameterError("invalid_parameter", "groups", `expected at most ${LIMITS.savedSegmentBytes} bytes in all saved segments`);
    await store.refuseTakenOver();
    await store.storage.write(SAVED_SEGMENTS_KEY, bytes);
    this.#byName = byName;
  }
}

/** A copy, for it may be changed. */
function shown(segment: StoredSegment): SavedSegment {
  return structuredClone(segment) as SavedSegment;
}
