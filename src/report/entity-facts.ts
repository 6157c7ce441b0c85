/* eslint-disable @typescript-eslint/no-non-null-assertion -- rows are bounded by their columns */
import { denseCodes } from "../column/column.js";
import type { Rows } from "../segment/rows.js";
import { actorOf } from "./rows-by-actor.js";

/** Who did something, for which company by the event itself (0: none), in which project: distinct triples of a segment, 12 bytes each. */
export interface EntityFacts {
  readonly actors: Uint32Array;
  readonly companies: Uint32Array;
  readonly projects: Uint32Array;
}

/** Columns that tell entities. */
export const ENTITY_COLUMNS = ["userId", "anonymousId", "companyId", "project"] as const;

/** The triples of a segment, found once; events of nobody have none. Cost: four reads a row, once. */
export function entityFacts(rows: Rows): EntityFacts {
  return rows.derive("entities", () => find(rows), ({ actors }) => actors.byteLength * 3);
}

// Scratch of one slot per actor: place + 1 of its first triple; zero between calls.
let firsts = new Uint32Array(1024);

function find(rows: Rows): EntityFacts {
  const [users, anonymous, companies, projects] = ENTITY_COLUMNS.map((name) => denseCodes(rows.column(name)));
  const found = { actors: new Uint32Array(rows.rowCount), companies: new Uint32Array(rows.rowCount), projects: new Uint32Array(rows.rowCount) };
  const others = new Set<string>();
  let count = 0;
  for (let row = 0; row < rows.rowCount; row += 1) {
    const actor = actorOf(users![row]!, anonymous![row]!);
    if (actor === 0) continue;
    const company = companies![row]!;
    const project = projects![row]!;
    if (actor >= firsts.length) grow(actor);
    const first = firsts[actor]! - 1;
    if (first === -1) firsts[actor] = count + 1;
    else {
      if (found.companies[first] === company && found.projects[first] === project) continue;
      const key = `${actor} ${company} ${project}`;
      if (others.has(key)) continue;
      others.add(key);
    }
    found.actors[count] = actor;
    found.companies[count] = company;
    found.projects[count] = project;
    count += 1;
  }
  for (let at = 0; at < count; at += 1) firsts[found.actors[at]!] = 0;
  return { actors: found.actors.slice(0, count), companies: found.companies.slice(0, count), projects: found.projects.slice(0, count) };
}

function grow(actor: number): void {
  const grown = new Uint32Array(2 ** Math.ceil(Math.log2(actor + 1)));
  grown.set(firsts);
  firsts = grown;
}
