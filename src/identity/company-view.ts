import { compareKeys, NO_KEY, eventKeyOf, type EventKey } from "../storage/segment/event-order.js";
import type { FrozenCodes } from "../storage/column/paged-codes.js";
import { newestTexts } from "../core/schema/record.js";
import type { CompanyView, IdentitySnapshot } from "./identity-view.js";
import type { IdentityResolver } from "./resolver.js";
import { denseCodes, codeAt } from "../storage/column/column.js";
import { whilePinned, type Rows } from "../storage/segment/rows.js";
import { dayOf, dayStartMs } from "../core/base/time.js";
import type { EventIds, EventTime } from "../storage/derived/event-ids.js";
import type { PendingLoads } from "../storage/derived/pending-loads.js";
import { Yielder } from "../core/base/yield.js";
import { countBefore, firstAtLeast } from "../core/base/search.js";
import { ID_COLUMN, TIME_COLUMN } from "../core/schema/fields.js";

export interface Association {
  readonly ms: number;
  /** Key of the event. A record has no project, so it sorts before an event of the same id. */
  readonly key: EventKey;
  readonly company: number;
}

/** Stands for a company's code when there are several. */
export const MIXED = -1;

/** Order of (createdAt, id, project). */
export function compareAssociations(a: Association, b: Association): number {
  return a.ms - b.ms || compareKeys(a.key, b.key);
}

export class Companies implements CompanyView {
  constructor(
    readonly resolver: IdentityResolver,
    readonly only: FrozenCodes,
    readonly lists: ReadonlyMap<number, readonly Association[]>,
    readonly membersOf: (companyCode: number) => Iterable<number>,
    readonly recordEnd: number,
  ) {}

  onlyCompany(identity: number): number {
    return this.only.of(identity);
  }

  lastCompany(identity: number): number {
    const company = this.only.of(identity);
    return company === MIXED ? (this.lists.get(identity)?.at(-1)?.company ?? 0) : company;
  }

  changedIdentities(): number[] {
    return [...this.lists.keys()];
  }

  get hasChanges(): boolean {
    return this.lists.size > 0;
  }

  companyAt(identity: number, createdAtMs: number, key: EventKey): number {
    const company = this.only.of(identity);
    if (company !== MIXED) return company;
    const list = this.lists.get(identity) ?? [];
    const moment = { ms: createdAtMs, key, company: 0 };
    const behind = countBefore(list.length, (at) => compareAssociations(list[at] as Association, moment) < 0);
    return (behind === 0 ? list[0] : list[behind - 1])?.company ?? 0;
  }

  needsId(identity: number, createdAtMs: number): boolean {
    const list = this.lists.get(identity) ?? [];
    return list[countBefore(list.length, (at) => (list[at] as Association).ms < createdAtMs)]?.ms === createdAtMs;
  }

  has(companyCode: number): boolean {
    return this.resolver.companies.isKnown(companyCode);
  }

  traitsOf(companyCode: number): Readonly<Record<string, unknown>> | null {
    const { table, groupsOfCompany, dictionaries } = this.resolver;
    const rows = groupsOfCompany.of(companyCode).filter((row) => table.code(row, "traits") > 0 && this.resolver.isLive(row, this.recordEnd));
    if (rows.length === 0) return null;
    const traits = dictionaries.named("traits");
    const oldestFirst = [...rows].sort((a, b) => table.compare(a, b));
    return newestTexts(oldestFirst.map((row) => traits.valueOf(table.code(row, "traits"))));
  }
}

/* eslint-disable @typescript-eslint/no-non-null-assertion -- rows are bounded by their columns */
export const COMPANY_COLUMNS = ["companyId", "userId", "anonymousId"] as const;

/** A segment's rows with a company of their own, by ascending actor. 12 bytes an actor, 4 a row. */
export interface CompanyRows {
  readonly actors: Uint32Array;
  /** The company of all rows of the actor; -1 when they differ. */
  readonly companies: Int32Array;
  /** `rows` of the actor at index `i` run from `starts[i]` to before `starts[i + 1]`. */
  readonly starts: Uint32Array;
  readonly rows: Uint32Array;
}

/** Groups loaded rows with a company by actor; cached for sealed segments. Cost: three reads a row, and a sort of the rows with a company. */
function companyRowsOf(rows: Rows): CompanyRows {
  const make = () => collect(rows);
  return rows.derive("companyRows", make, ({ actors, companies, starts, rows: list }) =>
    actors.byteLength + companies.byteLength + starts.byteLength + list.byteLength);
}

function collect(rows: Rows): CompanyRows {
  const companies = denseCodes(rows.column("companyId"));
  const users = denseCodes(rows.column("userId"));
  const anonymous = denseCodes(rows.column("anonymousId"));
  // A sort key holds actor and row, so rows stay in order within their actor.
  const keys = new Float64Array(rows.rowCount);
  let count = 0;
  for (let row = 0; row < companies.length; row += 1) {
    if (companies[row] === 0) continue;
    const user = users[row]!;
    const actor = user !== 0 ? user * 2 : anonymous[row]! !== 0 ? anonymous[row]! * 2 + 1 : 0;
    if (actor === 0) continue;
    keys[count] = actor * ROW_SPAN + row;
    count += 1;
  }
  return group(keys.subarray(0, count).sort(), companies);
}

/** More rows than a segment can have. */
const ROW_SPAN = 2 ** 26;

function group(keys: Float64Array, companyOfRow: ArrayLike<number>): CompanyRows {
  const actors: number[] = [];
  const companies: number[] = [];
  const starts: number[] = [];
  const list = new Uint32Array(keys.length);
  for (let at = 0; at < keys.length; at += 1) {
    const actor = Math.floor(keys[at]! / ROW_SPAN);
    const row = keys[at]! - actor * ROW_SPAN;
    list[at] = row;
    const company = companyOfRow[row]!;
    const last = actors.length - 1;
    if (last < 0 || actors[last] !== actor) {
      actors.push(actor);
      companies.push(company);
      starts.push(at);
    } else if (companies[last] !== company) companies[last] = -1;
  }
  starts.push(keys.length);
  return { actors: Uint32Array.from(actors), companies: Int32Array.from(companies), starts: Uint32Array.from(starts), rows: list };
}
/* eslint-enable @typescript-eslint/no-non-null-assertion */

export interface CompanySnapshot extends IdentitySnapshot {
  /** Null when no companies are requested. */
  readonly companies: CompanyView | null;
  readonly ids: EventIds;
}

/** The company of an event: its own, else that of its identity at its time; 0 for none. Null when its key must be read to decide. */
export function companyOfEvent(own: number, actor: number, { ms, sequence }: EventTime, { identities, companies, ids, rows }: CompanySnapshot, pending: PendingLoads): number | null {
  if (own !== 0 || actor === 0 || companies === null) return own;
  const identity = identities.identityOf(actor);
  const only = companies.onlyCompany(identity);
  if (only >= 0) return only;
  if (!companies.needsId(identity, ms)) return companies.companyAt(identity, ms, NO_KEY);
  const key = ids.of(sequence);
  if (key !== null) return companies.companyAt(identity, ms, key);
  pending.add(() => ids.read([{ sequence, day: dayOf(ms) }], rows));
  return null;
}

/* eslint-disable @typescript-eslint/no-non-null-assertion -- positions are bounded by the lists */
/** Cost of finding an actor in a part, in values read. */
const VALUES_PER_ACTOR = 8;

/** Reads the company associations of actors from events. Cost: a search per actor in each segment with companies, and the actors' rows. */
export async function associationsOf(actors: ReadonlySet<number>, parts: readonly Rows[]): Promise<Map<number, Association[]>> {
  const ascending = Uint32Array.from(actors).sort();
  const lists = new Map<number, Association[]>([...actors].map((actor) => [actor, []]));
  const yielder = new Yielder();
  for (const rows of parts) {
    if (rows.zone("companyId") === null) continue;
    await yielder.yieldAfter(ascending.length * VALUES_PER_ACTOR);
    await whilePinned([rows], () => addRows(lists, ascending, rows));
  }
  return lists;
}

async function addRows(lists: ReadonlyMap<number, Association[]>, actors: Uint32Array, rows: Rows): Promise<void> {
  await rows.load(COMPANY_COLUMNS);
  const known = companyRowsOf(rows);
  let place = 0;
  for (const actor of actors) {
    place = firstAtLeast(known.actors, actor, place);
    if (known.actors[place] !== actor) continue;
    await rows.load([TIME_COLUMN, ID_COLUMN, ...COMPANY_COLUMNS]);
    const list = lists.get(actor)!;
    for (let at = known.starts[place]!; at < known.starts[place + 1]!; at += 1) list.push(associationAt(rows, known.rows[at]!));
  }
}

/** The association of a row whose columns are loaded. It outlives them: its key is a copy. */
export function associationAt(rows: Rows, row: number): Association {
  return { ms: dayStartMs(rows.day) + rows.times()[row]!, key: eventKeyOf(rows, row), company: codeAt(rows.column("companyId"), row) };
}
