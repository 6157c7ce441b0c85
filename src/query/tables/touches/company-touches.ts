import { Yielder } from "../../../core/base/yield.js";
import { PendingLoads } from "../../../storage/derived/pending-loads.js";
import type { Memberships } from "../../../identity/memberships.js";
import type { CompanySnapshot } from "../../../identity/company-view.js";
import { EventCompanies } from "../money/event-companies.js";
import { TouchIndex, touchesAtOnce, type Touches } from "./touches.js";
import type { IdentityView } from "../../../identity/identity-view.js";

const VALUES_PER_TOUCH = 64;

/** Ordered touches of each company: those that name it, and those of its members. 8 bytes a touch. `changed` lists companies. */
export class CompanyTouches extends EventCompanies {
  readonly #index: TouchIndex;
  #building: Promise<void> | null = null;

  constructor(
    readonly touches: Touches,
    memberships: Memberships,
  ) {
    super(touches, memberships);
    this.#index = new TouchIndex(touches, (place) => this.of(place));
  }

  override get byteLength(): number {
    return super.byteLength + this.#index.byteLength;
  }

  placesOf(company: number): ArrayLike<number> {
    return this.#index.of(company);
  }

  protected override follow(changed: Iterable<number>, moment: CompanySnapshot, pending: PendingLoads): boolean {
    if (!this.#index.isFarBehind(this.touches.count, this.count)) return super.follow(changed, moment, pending) && this.#index.settle(moment, pending);
    pending.add(() => (this.#building ??= this.#build(moment).finally(() => (this.#building = null))));
    return false;
  }

  protected override restart(): void {
    super.restart();
    this.#index.clear();
  }

  protected moved(place: number, before: number, company: number): void {
    if (before !== 0) this.#index.remove(before, place);
    if (company !== 0) this.#index.add(company, place);
    for (const touched of [before, company]) if (touched !== 0) this.changed.add(touched);
  }

  /** Rebuilds everything, yielding. Later changes have greater change counts than the recorded one, so the next call applies them. */
  async #build(moment: CompanySnapshot): Promise<void> {
    const { count, generation } = this.touches;
    const { changeCount } = this.memberships;
    moment.onRowsRead(count);
    const companies = new Uint32Array(count);
    const unknown: number[] = [];
    // Unused: the missing ids are read below, for all touches at once.
    const pending = new PendingLoads();
    const find = (place: number) => {
      const company = this.companyOf(place, moment, pending);
      if (company === null) unknown.push(place);
      else companies[place] = company;
    };
    await new Yielder().inPieces(
      count,
      (from, to) => {
        for (let place = from; place < to; place += 1) find(place);
      },
      VALUES_PER_TOUCH,
    );
    if (unknown.length > 0) await this.touches.ids.read(unknown.map((place) => this.touches.eventAt(place)), moment.rows);
    for (const place of unknown.splice(0)) find(place);
    const replace = await this.#index.build(companies);
    if (generation !== this.touches.generation || unknown.length > 0) return;
    replace();
    this.replace(companies, count, changeCount);
  }
}

/* eslint-disable @typescript-eslint/no-non-null-assertion -- positions are bounded by the lists */
/** Identities with this many ids have their touches joined: looking up a hundred thousand ids for each event would be too slow. */
const MANY_IDS = 16;

/** The touches of a snapshot's identities, as lists in order. Those of identities with many ids are joined once, at the cost of a sort. */
export class TouchesOfIdentities {
  readonly #joined = new Map<number, readonly ArrayLike<number>[]>();
  /** Touches from here on are newer than the snapshot. */
  readonly #end: number;

  constructor(
    readonly touches: Touches,
    readonly identities: IdentityView,
  ) {
    this.#end = touches.count;
  }

  of(identity: number): readonly ArrayLike<number>[] {
    const known = this.#joined.get(identity);
    if (known !== undefined) return known;
    const actors = this.identities.actorsOf(identity);
    const lists = actors.map((actor) => this.#before(this.touches.placesOf(actor)));
    if (actors.length < MANY_IDS) return lists;
    const joined = joinLists(this.touches, lists);
    this.#joined.set(identity, joined);
    return joined;
  }

  #before(places: ArrayLike<number>): ArrayLike<number> {
    return this.touches.count === this.#end ? places : Array.from(places).filter((place) => place < this.#end);
  }
}

/** Joins the touches of owners into few lists, each in order: touches of one millisecond are in one list only if they have one owner. */
function joinLists(touches: Touches, lists: readonly ArrayLike<number>[]): number[][] {
  const runs: number[][] = [];
  for (const list of lists)
    for (let at = 0; at < list.length; at += runs.at(-1)!.length) runs.push(touchesAtOnce(touches, list, at));
  const msOf = ([place]: readonly number[]) => touches.msOf(place!);
  runs.sort((a, b) => msOf(a) - msOf(b));
  const joined: number[][] = [];
  let number = 0;
  for (const [at, run] of runs.entries()) {
    number = at > 0 && msOf(runs[at - 1]!) === msOf(run) ? number + 1 : 0;
    const list = (joined[number] ??= []);
    // Not `push(...run)`: all touches of a day may share one millisecond, and no call accepts that many arguments.
    for (const place of run) list.push(place);
  }
  return joined;
}
/* eslint-enable @typescript-eslint/no-non-null-assertion */
