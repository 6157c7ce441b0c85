/* eslint-disable @typescript-eslint/no-non-null-assertion -- rows and places are bounded by their columns */
import { denseCodes } from "../column/column.js";
import type { Rows } from "../segment/rows.js";
import { EntityTriples } from "./entity-triples.js";
import { actorOf } from "./rows-by-actor.js";

const ENTITY_COLUMNS = ["userId", "anonymousId", "companyId", "project"] as const;

/** Who did something, for which company by the event itself (0: none), in which project: distinct triples of a segment, 12 bytes each. */
export interface EntityFacts {
  readonly actors: Uint32Array;
  readonly companies: Uint32Array;
  readonly projects: Uint32Array;
}

/** The triples of a segment, found once; events of nobody have none. Cost: four reads a row, once. */
export async function loadEntityFacts(rows: Rows): Promise<EntityFacts> {
  const loading = rows.load(ENTITY_COLUMNS);
  if (loading !== null) await loading;
  return rows.derive("entities", () => find(rows), ({ actors }) => actors.byteLength * 3);
}

function find(rows: Rows): EntityFacts {
  const [users, anonymous, companies, projects] = ENTITY_COLUMNS.map((name) => denseCodes(rows.column(name)));
  const triples = new EntityTriples();
  for (let row = 0; row < rows.rowCount; row += 1) {
    const actor = actorOf(users![row]!, anonymous![row]!);
    if (actor !== 0) triples.add(actor, companies![row]!, projects![row]!, rows.day);
  }
  return { actors: triples.actors.slice(0, triples.count), companies: triples.companies.slice(0, triples.count), projects: triples.projects.slice(0, triples.count) };
}
