/* eslint-disable @typescript-eslint/no-non-null-assertion -- rows are bounded by their columns */
import { orderedBy } from "../../../core/base/arrays.js";
import type { Scratch } from "../../../core/base/scratch.js";
import { compareIds } from "../../../core/base/uuid.js";
import type { Yielder } from "../../../core/base/yield.js";
import { TIME_COLUMN } from "../../../core/schema/fields.js";
import { codeAt } from "../../../storage/column/column.js";
import type { Dictionaries } from "../../../storage/column/dictionaries.js";
import { AMOUNT_KEYS, columnsOfKeys } from "../../../storage/derived/stored.js";
import type { ColumnOnce } from "../../../storage/segment/column-once.js";
import type { HeadView } from "../../../storage/segment/head.js";
import type { Rows } from "../../../storage/segment/rows.js";
import { ACTOR_COLUMNS, actorOf } from "../../../storage/segment/summaries.js";
import type { RevenueRule } from "../../plan/plan.js";
import { AmountReader, hasAmounts } from "../money/revenue-facts.js";

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
export function actorAt({ users, anonymous, leftOut }: Pick<EventColumns, "users" | "anonymous" | "leftOut">, row: number): number {
  if (leftOut !== null && leftOut[row] === 1) return 0;
  return actorOf(users[row]!, anonymous[row]!);
}

/** What decides where sessions begin and end. */
export type ActorTimes = Omit<EventColumns, "slugs" | "urls" | "isPageview">;

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

  /** Reads the events of pinned rows for one use. @param scratch holds what is not in memory @returns what decodes them @throws corruption */
  async readOnce(rows: Rows, scratch: Scratch): Promise<() => EventColumns> {
    const leftOut = await this.#leftOut(rows);
    const columns = await Promise.all(eventColumnsOf(rows).map((column) => rows.readOnce(column, scratch)));
    return () => this.#eventsOf(rows, columns, leftOut);
  }

  /** As `readOnce`. */
  async readTimesOnce(rows: Rows, scratch: Scratch): Promise<() => ActorTimes> {
    const leftOut = await this.#leftOut(rows);
    const columns = await Promise.all(timeColumnsOf(rows).map((column) => rows.readOnce(column, scratch)));
    return () => timesOf(rows, columns, leftOut);
  }

  /** The events of a head. */
  read(rows: HeadView, scratch: Scratch): EventColumns {
    return this.#eventsOf(rows, eventColumnsOf(rows).map((column) => rows.readOnce(column, scratch)), this.#mayLeaveOut(rows) ? this.#leftOutOf(rows) : null);
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

  /** @param columns those of `eventColumnsOf`, in its order */
  #eventsOf(rows: Rows, columns: readonly ColumnOnce[], leftOut: Uint8Array | null): EventColumns {
    const [slugs, urls, ...others] = columns;
    return { ...timesOf(rows, others, leftOut), slugs: slugs!.all(), urls: urls!.all(), isPageview: this.pageviewTable() };
  }

  /** Whether any row may be a payment without url and host, by the zone maps alone. */
  #mayLeaveOut(rows: Rows): boolean {
    const isEverywhere = (column: string) => rows.zone(column)?.hasZero === false;
    return !isEverywhere("url") && !isEverywhere("hostname") && hasAmounts(rows, this.dictionaries);
  }

  async #leftOut(rows: Rows): Promise<Uint8Array | null> {
    if (!this.#mayLeaveOut(rows)) return null;
    await rows.load(["slug", "url", "hostname", "value", ...columnsOfKeys(AMOUNT_KEYS, this.dictionaries)]);
    return this.#leftOutOf(rows);
  }

  #leftOutOf(rows: Rows): Uint8Array | null {
    const [urls, hostnames] = [rows.column("url"), rows.column("hostname")];
    const amounts = new AmountReader(rows, this.revenue, this.dictionaries);
    let leftOut: Uint8Array | null = null;
    for (const row of amounts.candidates())
      if (codeAt(urls, row) === 0 && codeAt(hostnames, row) === 0 && amounts.amountOf(row) !== null) (leftOut ??= new Uint8Array(rows.rowCount))[row] = 1;
    return leftOut;
  }
}

function eventColumnsOf(rows: Rows): readonly string[] {
  return ["slug", "url", ...timeColumnsOf(rows)];
}

function timeColumnsOf(rows: Rows): readonly string[] {
  const columns = [TIME_COLUMN, ...ACTOR_COLUMNS];
  return onlyProjectOf(rows) === null ? [...columns, "project"] : columns;
}

/** @param columns those of `timeColumnsOf`, in its order */
function timesOf(rows: Rows, columns: readonly ColumnOnce[], leftOut: Uint8Array | null): ActorTimes {
  const [times, users, anonymous, projects] = columns.map((column) => column.all());
  return { users: users!, anonymous: anonymous!, projects: projects ?? null, onlyProject: onlyProjectOf(rows) ?? 0, times: new Int32Array(times!.buffer, times!.byteOffset, times!.length), leftOut };
}

/** The project of all rows, by the zone map alone; null if there may be others. */
function onlyProjectOf(rows: Rows): number | null {
  const zone = rows.zone("project");
  if (zone === null) return 0;
  return zone.min === zone.max && !zone.hasZero ? zone.min : null;
}

/** The rows of a head by (time, id). */
export function orderOfHead(head: Rows, yielder: Yielder): Promise<Uint32Array> {
  const [times, ids] = [head.times(), head.ids()];
  return orderedBy(times.length, (row) => times[row]!, (a, b) => times[a]! - times[b]! || compareIds(ids, a * 16, ids, b * 16), yielder);
}
