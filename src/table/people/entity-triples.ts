/* eslint-disable @typescript-eslint/no-non-null-assertion -- places are bounded by the count */

/** Triples of one actor that are found by walking from one to the next. */
const CHAIN_LENGTH = 8;

/** Codes of projects are below this. */
export const PROJECT_SPAN = 2 ** 24;

/**
 * First days of who did something, for which company by the event itself (0: none), in which project: distinct triples in
 * the order of their first mention. 20 bytes each, and 4 for every actor below the greatest.
 */
export class EntityTriples {
  actors = new Uint32Array(1024);
  companies = new Uint32Array(1024);
  projects = new Uint32Array(1024);
  days = new Int32Array(1024);
  #count = 0;
  /** Place + 1 of the first triple of each actor, and of the next one of the same; 0 for none. */
  #firsts = new Uint32Array(1024);
  #nexts = new Uint32Array(1024);
  /** Places by company and project of actors that have more. */
  readonly #far = new Map<number, Map<number, number>>();

  get count(): number {
    return this.#count;
  }

  /**
   * True where the triple is new, or its day earlier.
   * Cost: the triples of the actor, which are nearly always one, and never looked at beyond a few.
   */
  add(actor: number, company: number, project: number, day: number): boolean {
    if (actor >= this.#firsts.length) this.#firsts = grown(this.#firsts, new Uint32Array(2 ** Math.ceil(Math.log2(actor + 1))));
    let last = 0;
    let length = 0;
    for (let next = this.#firsts[actor]!; next !== 0; next = this.#nexts[next - 1]!) {
      last = next;
      if (this.companies[next - 1] === company && this.projects[next - 1] === project) return this.#sawAt(next - 1, day);
      length += 1;
    }
    if (length === CHAIN_LENGTH) return this.#addFar(actor, company, project, day);
    const place = this.#append(actor, company, project, day);
    if (last === 0) this.#firsts[actor] = place + 1;
    else this.#nexts[last - 1] = place + 1;
    return true;
  }

  /** Places of the triples of an actor. Cost: their number. */
  placesOf(actor: number): number[] {
    const places: number[] = [];
    for (let next = this.#firsts[actor] ?? 0; next !== 0; next = this.#nexts[next - 1]!) places.push(next - 1);
    return [...places, ...(this.#far.get(actor)?.values() ?? [])];
  }

  /** For the one user that a server reports everybody's events under. */
  #addFar(actor: number, company: number, project: number, day: number): boolean {
    let places = this.#far.get(actor);
    if (places === undefined) this.#far.set(actor, (places = new Map()));
    const key = company * PROJECT_SPAN + project;
    const place = places.get(key);
    if (place !== undefined) return this.#sawAt(place, day);
    places.set(key, this.#append(actor, company, project, day));
    return true;
  }

  #sawAt(place: number, day: number): boolean {
    const isEarlier = day < this.days[place]!;
    if (isEarlier) this.days[place] = day;
    return isEarlier;
  }

  #append(actor: number, company: number, project: number, day: number): number {
    const place = this.#count;
    if (place === this.actors.length) this.#grow(place * 2);
    this.actors[place] = actor;
    this.companies[place] = company;
    this.projects[place] = project;
    this.days[place] = day;
    this.#count = place + 1;
    return place;
  }

  #grow(length: number): void {
    this.actors = grown(this.actors, new Uint32Array(length));
    this.companies = grown(this.companies, new Uint32Array(length));
    this.projects = grown(this.projects, new Uint32Array(length));
    this.days = grown(this.days, new Int32Array(length));
    this.#nexts = grown(this.#nexts, new Uint32Array(length));
  }
}

function grown<T extends Uint32Array | Int32Array>(from: T, to: T): T {
  to.set(from);
  return to;
}
