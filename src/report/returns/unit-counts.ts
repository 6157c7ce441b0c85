/* eslint-disable @typescript-eslint/no-non-null-assertion -- entities are below the end, counts below the number of units */

/** In how many units of a bucket each entity was active, and how many entities there are of each such number. */
export class UnitCounts {
  readonly #counts: Uint32Array;
  /** The bucket that the count of an entity is of. */
  readonly #buckets: Uint32Array;
  #bucket = 0;
  #histogram: number[] = [0];

  /** @param end all entities are below it */
  constructor(end: number) {
    this.#counts = new Uint32Array(end);
    this.#buckets = new Uint32Array(end);
  }

  /** By number of units: entities. That of 0 means nothing. */
  get histogram(): readonly number[] {
    return this.#histogram;
  }

  begin(): void {
    this.#bucket += 1;
    this.#histogram = [0];
  }

  /** Adds some entities of a unit, each once a unit. */
  add(entities: Uint32Array): void {
    const [counts, buckets, bucket, histogram] = [this.#counts, this.#buckets, this.#bucket, this.#histogram];
    for (let at = 0; at < entities.length; at += 1) {
      const entity = entities[at]!;
      const before = buckets[entity] === bucket ? counts[entity]! : 0;
      buckets[entity] = bucket;
      counts[entity] = before + 1;
      histogram[before]! -= 1;
      if (before + 1 === histogram.length) histogram.push(1);
      else histogram[before + 1]! += 1;
    }
  }
}
