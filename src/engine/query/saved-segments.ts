import { parameterError } from "../../core/base/errors.js";
import { LIMITS } from "../../core/base/limits.js";
import { compareCodePoints } from "../../core/base/text-order.js";
import { checkSavedSegment } from "../../query/plan/insights/segments.js";
import type { PeopleSegment } from "../../query/plan/input.js";
import { normalEmail } from "../../query/plan/reports/identity.js";
import { decodeSavedSegments, encodeSavedSegments, SAVED_SEGMENTS_KEY, type StoredPeopleSegment } from "../../store/files/side-files.js";
import type { Storage } from "../../store/storage/storage.js";
import type { StoreServices } from "../upkeep/housekeeping.js";
import { checkPatterns } from "../../query/filter/regex.js";

/** A segment as it was put, under the name by which filters refer to it; dates are texts. */
export interface SavedSegment extends PeopleSegment {
  readonly name: string;
}

/** Saved segments, at most 1,000, to which queries refer by name. Each query resolves them again. */
export interface Segments {
  /**
   * Saves a segment, replacing one of the same name; durable when it resolves.
   * @throws invalid_parameter (a name of other than 1 to 64 letters, digits, `_` and `-`; one too many), read_only, storage_full, closed, and as
   * countEvents for filters
   */
  put(name: string, segment: PeopleSegment): Promise<SavedSegment>;
  /** All saved segments, sorted by name. @throws closed */
  list(): Promise<readonly SavedSegment[]>;
  /** Deletes a segment: later queries that name it are rejected. False if it does not exist. @throws read_only, storage_full, closed */
  delete(name: string): Promise<boolean>;
}

/** Reads the saved segments when a store is opened. @throws corruption */
export async function readSavedSegments(storage: Storage): Promise<readonly StoredPeopleSegment[]> {
  const bytes = await storage.read(SAVED_SEGMENTS_KEY);
  return bytes === null ? [] : decodeSavedSegments(bytes);
}

/** The saved segments of one store, in one file that is rewritten durably with every change. */
export class StoredPeopleSegments implements Segments {
  readonly #services: StoreServices;
  #byName: ReadonlyMap<string, StoredPeopleSegment>;

  constructor(services: StoreServices, stored: readonly StoredPeopleSegment[]) {
    this.#services = services;
    this.#byName = new Map(stored.map((segment) => [segment.name, segment]));
  }

  /** Replaces all of them by those that another process has written. */
  replaced(stored: readonly StoredPeopleSegment[]): void {
    this.#byName = new Map(stored.map((segment) => [segment.name, segment]));
  }

  /** As queries name them. */
  get known(): ReadonlyMap<string, unknown> {
    return new Map([...this.#byName].map(([name, { groups }]) => [name, { groups }]));
  }

  async put(name: string, segment: PeopleSegment): Promise<SavedSegment> {
    this.#services.refuseClosed();
    const saved = await checkedSegment(name, segment);
    await this.#change((byName) => withSegment(byName, saved));
    return shownSegment(saved);
  }

  async list(): Promise<readonly SavedSegment[]> {
    this.#services.refuseClosed();
    return shownSegments(this.#byName);
  }

  async delete(name: string): Promise<boolean> {
    this.#services.refuseClosed();
    let isThere = false;
    await this.#change((byName) => {
      isThere = byName.has(name);
      return isThere ? new Map([...byName].filter(([each]) => each !== name)) : byName;
    });
    return isThere;
  }

  /**
   * Deletes the segments in which an id or an email is a value or an item of a list. Nothing else may be under way.
   * @param emails in normalized form
   * @param textsOf all texts in the groups of a segment
   */
  async forget(ids: ReadonlySet<string>, emails: ReadonlySet<string>, textsOf: (groups: readonly unknown[]) => readonly string[]): Promise<void> {
    const isTheirs = (text: string) => ids.has(text) || emails.has(normalEmail(text));
    const kept = [...this.#byName].filter(([, { groups }]) => !textsOf(groups).some(isTheirs));
    if (kept.length < this.#byName.size) await this.#write(new Map(kept));
  }

  #change(make: (byName: ReadonlyMap<string, StoredPeopleSegment>) => ReadonlyMap<string, StoredPeopleSegment>): Promise<void> {
    const { store, housekeeping, queue } = this.#services;
    return housekeeping.exclusive(queue, async () => {
      store.assertWritable();
      const changed = make(this.#byName);
      if (changed !== this.#byName) await this.#write(changed);
    });
  }

  /** Makes changed segments durable, then current. */
  async #write(byName: ReadonlyMap<string, StoredPeopleSegment>): Promise<void> {
    const { store } = this.#services;
    const bytes = bytesOf(byName);
    await store.refuseTakenOver();
    await store.storage.write(SAVED_SEGMENTS_KEY, bytes);
    this.#byName = byName;
  }
}

/** Validates a segment and returns it as it is stored. @throws invalid_parameter, and as `checkSavedSegment` and `checkPatterns` */
export async function checkedSegment(name: string, segment: PeopleSegment): Promise<StoredPeopleSegment> {
  await checkPatterns(checkSavedSegment(name, segment));
  // A copy, so that callers cannot change it; dates become texts, undefined members are dropped.
  return JSON.parse(JSON.stringify({ name, groups: segment.groups })) as StoredPeopleSegment;
}

/** Segments with one added or replaced. @throws invalid_parameter (too many) */
export function withSegment(byName: ReadonlyMap<string, StoredPeopleSegment>, saved: StoredPeopleSegment): ReadonlyMap<string, StoredPeopleSegment> {
  const changed = new Map([...byName, [saved.name, saved]]);
  if (changed.size > LIMITS.savedSegmentCount) throw parameterError("invalid_parameter", "name", `expected at most ${LIMITS.savedSegmentCount} saved segments`);
  return changed;
}

/** The file of saved segments. @throws invalid_parameter (too long) */
export function bytesOf(byName: ReadonlyMap<string, StoredPeopleSegment>): Uint8Array {
  const bytes = encodeSavedSegments([...byName.values()]);
  if (bytes.length > LIMITS.savedSegmentBytes) throw parameterError("invalid_parameter", "groups", `expected at most ${LIMITS.savedSegmentBytes} bytes in all saved segments`);
  return bytes;
}

/** Copies, sorted by name. */
export function shownSegments(byName: ReadonlyMap<string, StoredPeopleSegment>): readonly SavedSegment[] {
  return [...byName.values()].map(shownSegment).sort((a, b) => compareCodePoints(a.name, b.name));
}

/** A copy, which the caller may change. */
export function shownSegment(segment: StoredPeopleSegment): SavedSegment {
  return structuredClone(segment) as SavedSegment;
}
