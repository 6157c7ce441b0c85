/* eslint-disable @typescript-eslint/no-non-null-assertion -- rows, actors and places are bounded by their columns */
import { maxOf, narrowCodes, type Codes } from "../../column/codes.js";
import { denseCodes } from "../../column/column.js";
import type { Selector } from "../../filter/predicate.js";
import { isWhole, select } from "../../filter/select.js";
import { selectedRows } from "../../filter/selected-rows.js";
import type { Rows } from "../../segment/rows.js";
import { actorOf } from "../../segment/who.js";

/** How many events actors did: each actor once, ascending. 5 to 8 bytes an actor. */
export interface ActorCounts {
  readonly actors: Uint32Array;
  readonly counts: Codes;
}

// One scratch for all scans: emptied before a scan returns.
let scratch = new Uint32Array(4_096);

/** The selected rows by actor; events of nobody are left out. Kept for whole sealed segments. */
export function actorCounts(rows: Rows, selector: Selector): ActorCounts {
  if (selector.key === null || !isWhole(rows, selector)) return collect(rows, selector);
  return rows.derive(`counts by actor ${selector.key}`, () => collect(rows, selector), byteLengthOf);
}

export function byteLengthOf({ actors, counts }: ActorCounts): number {
  return actors.byteLength + counts.byteLength;
}

/** All of some counts at once. Cost: their actors, and a sort of the distinct ones. */
export function addedCounts(parts: readonly ActorCounts[]): ActorCounts {
  const [only, ...others] = parts;
  if (only !== undefined && others.length === 0) return only;
  return taken(added(parts, (actor) => actor));
}

/** How many events each did for whom some actors stand, in no order. Cost: the actors. */
export function eachAddedCount(parts: readonly ActorCounts[], standsFor: (actor: number) => number, visit: (who: number, count: number) => void): void {
  const met = added(parts, standsFor);
  for (let at = 0; at < met.length; at += 1) {
    const who = met[at]!;
    const count = scratch[who]!;
    scratch[who] = 0;
    visit(who, count);
  }
}

/** Adds counts up in the scratch; answers who has some. */
function added(parts: readonly ActorCounts[], standsFor: (actor: number) => number): Uint32Array {
  const met = new Uint32Array(parts.reduce((sum, { actors }) => sum + actors.length, 0));
  let metCount = 0;
  for (const { actors, counts } of parts)
    for (let at = 0; at < actors.length; at += 1) {
      const who = standsFor(actors[at]!);
      if (who >= scratch.length) reserve(who);
      if (scratch[who] === 0) {
        met[metCount] = who;
        metCount += 1;
      }
      scratch[who]! += counts[at]!;
    }
  return met.subarray(0, metCount);
}

function collect(rows: Rows, selector: Selector): ActorCounts {
  const selected = selectedRows(select(rows, selector));
  const [users, anonymous] = [denseCodes(rows.column("userId")), denseCodes(rows.column("anonymousId"))];
  const met = new Uint32Array(selected.length);
  let metCount = 0;
  for (let at = 0; at < selected.length; at += 1) {
    const row = selected[at]!;
    const actor = actorOf(users[row]!, anonymous[row]!);
    if (actor === 0) continue;
    if (actor >= scratch.length) reserve(actor);
    if (scratch[actor] === 0) {
      met[metCount] = actor;
      metCount += 1;
    }
    scratch[actor]! += 1;
  }
  return taken(met.subarray(0, metCount));
}

/** Takes the counts of some actors out of the scratch. */
function taken(met: Uint32Array): ActorCounts {
  const actors = met.slice().sort();
  const counts = new Uint32Array(actors.length);
  for (let at = 0; at < actors.length; at += 1) {
    const actor = actors[at]!;
    counts[at] = scratch[actor]!;
    scratch[actor] = 0;
  }
  return { actors, counts: narrowCodes(counts, maxOf(counts)) };
}

function reserve(actor: number): void {
  if (actor < scratch.length) return;
  const longer = new Uint32Array(2 ** Math.ceil(Math.log2(actor + 1)));
  longer.set(scratch);
  scratch = longer;
}
