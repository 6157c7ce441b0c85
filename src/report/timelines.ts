import type { Rows } from "../segment/rows.js";
import { timelineOf, type Timeline } from "./timeline.js";

/** Timelines at hand, and events of all of them: 12 bytes each. */
const TIMELINE_COUNT = 64;
const EVENT_COUNT = 1_000_000;

/** The timelines that were asked for last, of sealed segments: a person's page asks several questions about the same events. */
export class Timelines {
  readonly #byIdentity = new Map<number, { readonly parts: readonly Rows[]; readonly timeline: Timeline }>();
  #eventCount = 0;

  /** The timeline of an identity in exactly these segments, if it is at hand. */
  find(identity: number, parts: readonly Rows[]): Timeline | null {
    const known = this.#byIdentity.get(identity);
    if (known === undefined || known.parts.length !== parts.length || known.parts.some((part, at) => part !== parts[at])) return null;
    return known.timeline;
  }

  async of(identity: number, actors: readonly number[], parts: readonly Rows[]): Promise<Timeline> {
    const known = this.find(identity, parts);
    const timeline = known ?? (await timelineOf(parts, actors, null));
    this.#remove(identity);
    // The newest is the last one.
    this.#byIdentity.set(identity, { parts, timeline });
    this.#eventCount += timeline.count;
    for (const oldest of this.#byIdentity.keys()) {
      if (this.#byIdentity.size <= TIMELINE_COUNT && this.#eventCount <= EVENT_COUNT) break;
      this.#remove(oldest);
    }
    return timeline;
  }

  #remove(identity: number): void {
    this.#eventCount -= this.#byIdentity.get(identity)?.timeline.count ?? 0;
    this.#byIdentity.delete(identity);
  }
}
