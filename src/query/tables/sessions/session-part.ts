/* eslint-disable @typescript-eslint/no-non-null-assertion -- positions are bounded by the lists */
import { firstAtLeast } from "../../../core/base/search.js";
import { dayStartMs } from "../../../core/base/time.js";
import { HeadView, type Head } from "../../../storage/segment/head.js";
import type { Rows } from "../../../storage/segment/rows.js";
import type { Scratch } from "../../../core/base/scratch.js";
import { wideCodes } from "../../../storage/column/codes.js";
import { codeAt, denseCodes } from "../../../storage/column/column.js";
import type { Dictionaries } from "../../../storage/column/dictionaries.js";
import { AMOUNT_KEYS, columnsOfKeys } from "../../../storage/derived/stored.js";
import { compareIds } from "../../../core/base/uuid.js";
import { orderedBy, withRoomFor } from "../../../core/base/arrays.js";
import type { Yielder } from "../../../core/base/yield.js";
import type { RevenueRule } from "../../plan/plan.js";
import { TIME_COLUMN } from "../../../core/schema/fields.js";
import { ACTOR_COLUMNS, actorOf } from "../../../storage/segment/summaries.js";
import { AmountReader, hasAmounts } from "../money/revenue-facts.js";

/** No session, and no part. */
export const NONE = 0xffffffff;

/** What stays the same while rows are added: a segment, or the head of a view. */
export type PartKey = Rows | Head;

export function keyOfRows(rows: Rows): PartKey {
  return rows instanceof HeadView ? rows.head : rows;
}

const NO_ROWS = new Uint32Array(0);

/** One segment or head, and the sessions of its rows. 4 bytes a row. */
export class SessionPart {
  readonly key: PartKey;
  readonly sealed: boolean;
  readonly startMs: number;
  readonly rowCount: number;
  /** By row: the session that it was put into first; `NONE` for an event in no session. Parts of later snapshots share it. */
  readonly sessions: Uint32Array;
  /** Rows whose first session was replaced, ascending, and their sessions. */
  #rows = NO_ROWS;
  #others = NO_ROWS;

  /** @param former the same part with fewer rows, or as many */
  constructor(rows: Rows, former: SessionPart | null = null) {
    this.key = keyOfRows(rows);
    this.sealed = rows.sealed;
    this.startMs = dayStartMs(rows.day);
    this.rowCount = rows.rowCount;
    this.sessions = withRoomFor(former?.sessions ?? NO_ROWS, rows.rowCount);
    this.sessions.fill(NONE, former?.rowCount ?? 0, rows.rowCount);
    if (former === null) return;
    this.#rows = former.#rows;
    this.#others = former.#others;
  }

  get byteLength(): number {
    return this.sessions.byteLength + this.#rows.byteLength * 2;
  }

  /** The session of a row whose first session was replaced. Cost: a search among all such rows. */
  otherSessionOf(row: number): number {
    return this.#others[firstAtLeast(this.#rows, row)]!;
  }

  /** Cost: all rows whose first session was replaced. */
  forgetRows(isAlive: (session: number) => boolean): void {
    this.#rows = this.#rows.filter((_row, at) => isAlive(this.#others[at]!));
    this.#others = this.#others.filter(isAlive);
  }

  /** Puts rows into other sessions. Cost: these rows, and those that were put before. @param rows ascending, none of which was put before */
  putRows(rows: Uint32Array, sessions: Uint32Array): void {
    const [oldRows, oldOthers] = [this.#rows, this.#others];
    const count = oldRows.length + rows.length;
    [this.#rows, this.#others] = [new Uint32Array(count), new Uint32Array(count)];
    for (let at = 0, old = 0, next = 0; at < count; at += 1) {
      const isOld = next === rows.length || (old < oldRows.length && oldRows[old]! < rows[next]!);
      this.#rows[at] = isOld ? oldRows[old]! : rows[next]!;
      this.#others[at] = isOld ? oldOthers[old]! : sessions[next]!;
      if (isOld) old += 1;
      else next += 1;
    }
  }
}

export interface EventColumns {
  readonly users: Uint32Array;
  readonly anonymous: Uint32Array;
  /** Null when all rows are of `onlyProject`. */
  readonly projects: Uint32Array | null;
  readonly onlyProject: number;
  readonly slugs: Uint32Array;
  readonly urls: Uint32Array;
  /** Ms of the day. */
  readonly times: Int32Array;
  /** By code of a slug: 1 for a page view. */
  readonly isPageview: Uint8Array;
  /** 1 for server payments without url and host; null: there are none. */
  readonly leftOut: Uint8Array | null;
}

/** The actor whose session an event belongs to; 0 for none. */
export function actorAt({ users, anonymous, leftOut }: EventColumns, row: number): number {
  if (leftOut !== null && leftOut[row] === 1) return 0;
  return actorOf(users[row]!, anonymous[row]!);
}

/** The columns of some of the rows, none of which is left out. */
export function columnsAt({ users, anonymous, projects, onlyProject, slugs, urls, times, isPageview }: EventColumns, rows: Uint32Array): EventColumns {
  const of = <A extends Uint32Array | Int32Array>(values: A, own: A): A => {
    for (let at = 0; at < rows.length; at += 1) own[at] = values[rows[at]!]!;
    return own;
  };
  const codesOf = (codes: Uint32Array) => of(codes, new Uint32Array(rows.length));
  return {
    users: codesOf(users), anonymous: codesOf(anonymous), projects: projects === null ? null : codesOf(projects), onlyProject, slugs: codesOf(slugs), urls: codesOf(urls),
    times: of(times, new Int32Array(rows.length)), isPageview, leftOut: null,
  };
}

export class EventSource {
  constructor(
    readonly dictionaries: Dictionaries,
    readonly pageviewSlugs: readonly string[],
    readonly revenue: RevenueRule,
  ) {}

  /** All existing actors are below it. */
  get actorEnd(): number {
    return Math.max(this.dictionaries.named("userId").size, this.dictionaries.named("anonymousId").size) * 2;
  }

  columnsOf(rows: Rows): readonly string[] {
    const columns = [TIME_COLUMN, ...ACTOR_COLUMNS, "project", "slug", "url"];
    return this.#mayLeaveOut(rows) ? [...columns, "hostname", "value", ...columnsOfKeys(AMOUNT_KEYS, this.dictionaries)] : columns;
  }

  /** The columns must be loaded. @param scratch holds what is read, unless the rows do */
  read(rows: Rows, scratch: Scratch): EventColumns {
    const codesOf = (column: string) => wideCodes(denseCodes(rows.column(column)), scratch);
    const zone = rows.zone("project");
    const isOne = zone === null || (zone.min === zone.max && !zone.hasZero);
    return {
      users: codesOf("userId"),
      anonymous: codesOf("anonymousId"),
      projects: isOne ? null : codesOf("project"),
      onlyProject: zone?.min ?? 0,
      slugs: codesOf("slug"),
      urls: codesOf("url"),
      times: rows.times(),
      isPageview: this.pageviewTable(),
      leftOut: this.#mayLeaveOut(rows) ? this.#leftOut(rows) : null,
    };
  }

  /** By code of a slug: 1 for a page view. */
  pageviewTable(): Uint8Array {
    const slugs = this.dictionaries.named("slug");
    const table = new Uint8Array(slugs.size);
    for (const slug of this.pageviewSlugs) {
      const code = slugs.codeOf(slug);
      if (code > 0) table[code] = 1;
    }
    return table;
  }

  /** Whether any row may be a payment without url and host, by the zone maps alone. */
  #mayLeaveOut(rows: Rows): boolean {
    const isEverywhere = (column: string) => rows.zone(column)?.hasZero === false;
    return !isEverywhere("url") && !isEverywhere("hostname") && hasAmounts(rows, this.dictionaries);
  }

  #leftOut(rows: Rows): Uint8Array | null {
    const [urls, hostnames] = [rows.column("url"), rows.column("hostname")];
    const amounts = new AmountReader(rows, this.revenue, this.dictionaries);
    let leftOut: Uint8Array | null = null;
    for (const row of amounts.candidates())
      if (codeAt(urls, row) === 0 && codeAt(hostnames, row) === 0 && amounts.amountOf(row) !== null) (leftOut ??= new Uint8Array(rows.rowCount))[row] = 1;
    return leftOut;
  }
}

/** The rows of a head by (time, id). */
export function orderOfHead(head: Rows, yielder: Yielder): Promise<Uint32Array> {
  const [times, ids] = [head.times(), head.ids()];
  return orderedBy(times.length, (row) => times[row]!, (a, b) => times[a]! - times[b]! || compareIds(ids, a * 16, ids, b * 16), yielder);
}
