/* eslint-disable @typescript-eslint/no-non-null-assertion -- rows are bounded by their columns */
import type { Scratch } from "../../base/scratch.js";
import { wideCodes } from "../../column/codes.js";
import { codeAt, denseCodes } from "../../column/column.js";
import type { Dictionaries } from "../../column/dictionaries.js";
import { AMOUNT_KEYS, columnsOfKeys } from "../../derived/stored.js";
import { compareIds } from "../../base/uuid.js";
import { sortNumbers } from "../../base/sort-numbers.js";
import type { Turns } from "../../base/turn.js";
import type { RevenueRule } from "../../plan/plan.js";
import { TIME_COLUMN } from "../../schema/fields.js";
import type { Rows } from "../../segment/rows.js";
import { ACTOR_COLUMNS } from "../../segment/who.js";
import { revenueTester } from "../money/revenue-facts.js";

/** The columns of rows that runs are made of. */
export interface RowsToRun {
  readonly users: Uint32Array;
  readonly anonymous: Uint32Array;
  /** Null where all rows are of `onlyProject`. */
  readonly projects: Uint32Array | null;
  readonly onlyProject: number;
  readonly slugs: Uint32Array;
  readonly urls: Uint32Array;
  /** Ms of the day. */
  readonly times: Int32Array;
  /** By code of a slug: 1 for a page view. */
  readonly isPageview: Uint8Array;
  /** 1 for payments that a server reported, at no url and no host; null: there are none. */
  readonly leftOut: Uint8Array | null;
  /** Number of the first row: of a head those before were there already. */
  readonly firstRow: number;
}

/** Who did what a row tells of; 0 for nobody. */
export function actorAt({ users, anonymous }: RowsToRun, row: number): number {
  const [user, anonymousId] = [users[row]!, anonymous[row]!];
  return user !== 0 ? user * 2 : anonymousId === 0 ? 0 : anonymousId * 2 + 1;
}

/** Reads rows for runs under one rule. */
export class RunSource {
  constructor(
    readonly dictionaries: Dictionaries,
    readonly pageviewSlugs: readonly string[],
    readonly revenue: RevenueRule,
  ) {}

  /** Columns that are to be loaded. */
  columnsOf(rows: Rows): readonly string[] {
    const columns = [TIME_COLUMN, ...ACTOR_COLUMNS, "project", "slug", "url"];
    return this.#mayLeaveOut(rows) ? [...columns, "hostname", "value", ...columnsOfKeys(AMOUNT_KEYS, this.dictionaries)] : columns;
  }

  /** Columns are loaded. @param firstRow see `RowsToRun`; @param scratch what is read lies there, or in the rows */
  read(rows: Rows, firstRow: number, scratch: Scratch): RowsToRun {
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
      isPageview: this.#pageviewTable(),
      leftOut: this.#mayLeaveOut(rows) ? this.#leftOut(rows) : null,
      firstRow,
    };
  }

  #pageviewTable(): Uint8Array {
    const slugs = this.dictionaries.named("slug");
    const table = new Uint8Array(slugs.size);
    for (const slug of this.pageviewSlugs) {
      const code = slugs.codeOf(slug);
      if (code > 0) table[code] = 1;
    }
    return table;
  }

  /** Whether some row may be a payment at no url and no host, by the zone maps alone. */
  #mayLeaveOut(rows: Rows): boolean {
    const isEverywhere = (column: string) => rows.zone(column)?.hasZero === false;
    return !isEverywhere("url") && !isEverywhere("hostname") && ["value", ...columnsOfKeys(AMOUNT_KEYS, this.dictionaries)].some((column) => rows.zone(column) !== null);
  }

  #leftOut(rows: Rows): Uint8Array | null {
    const [urls, hostnames] = [rows.column("url"), rows.column("hostname")];
    const { candidates, isRevenue } = revenueTester(rows, this.revenue, this.dictionaries);
    let leftOut: Uint8Array | null = null;
    for (const row of candidates)
      if (codeAt(urls, row) === 0 && codeAt(hostnames, row) === 0 && isRevenue(row)) (leftOut ??= new Uint8Array(rows.rowCount))[row] = 1;
    return leftOut;
  }
}

/** Rows below it: times and rows make one exact number. */
const ROW_SPAN = 2 ** 26;

/** The rows of a head by (time, id). */
export async function orderOfHead(head: Rows, turns: Turns): Promise<Uint32Array> {
  return orderOf(head, await sortNumbers(keysOf(head), turns));
}

/** The same at once, of few rows. */
export function orderOfFew(head: Rows): Uint32Array {
  return orderOf(head, keysOf(head).sort());
}

function keysOf(head: Rows): Float64Array {
  const times = head.times();
  const keys = new Float64Array(times.length);
  for (let row = 0; row < keys.length; row += 1) keys[row] = times[row]! * ROW_SPAN + row;
  return keys;
}

function orderOf(head: Rows, keys: Float64Array): Uint32Array {
  const [times, ids] = [head.times(), head.ids()];
  const order = new Uint32Array(keys.length);
  for (let at = 0; at < order.length; at += 1) order[at] = keys[at]! % ROW_SPAN;
  for (let start = 0, end = 0; start < order.length; start = end) {
    while (end < order.length && times[order[end]!] === times[order[start]!]) end += 1;
    if (end - start > 1) order.subarray(start, end).sort((a, b) => compareIds(ids, a * 16, ids, b * 16));
  }
  return order;
}
