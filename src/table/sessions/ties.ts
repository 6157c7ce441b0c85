/* eslint-disable @typescript-eslint/no-non-null-assertion -- rows are bounded by their parts */
import { compareIds } from "../../base/uuid.js";
import { ID_COLUMN } from "../../schema/fields.js";
import type { Rows } from "../../segment/rows.js";
import type { Part } from "./part.js";
import type { Reading } from "./reading.js";
import type { SessionColumns } from "./session-columns.js";

/** The event of a session that ids decide on, where several share a millisecond. */
type Kind = "first" | "exit";

/** An event of a part, and the code of its url. */
export interface EventOfPart {
  readonly part: number;
  readonly row: number;
  readonly url: number;
}

/** An event, and its id where it is read. */
interface Tied extends EventOfPart {
  id: Uint8Array | null;
}

/** Where the event of each session stands. */
interface Standing {
  readonly parts: Uint32Array;
  readonly rows: Uint32Array;
  readonly urls: Uint32Array;
}

/** The first events of sessions, and their last ones with a url: among those of one millisecond ids decide, unless rows do. */
export class Ties {
  readonly #firsts = new Map<number, Tied[]>();
  readonly #exits = new Map<number, Tied[]>();

  constructor(
    readonly columns: SessionColumns,
    readonly parts: readonly Part[],
  ) {}

  /** The first event of a session, or one of the same millisecond as the one that is known. */
  first(session: number, event: EventOfPart, isKnown: boolean): void {
    if (isKnown) this.#tie("first", session, event);
    else {
      put(this.#standing("first"), session, event);
      this.#firsts.delete(session);
    }
  }

  /** The last event of a session with a url, or one of the same millisecond. */
  exit(session: number, event: EventOfPart, isKnown: boolean): void {
    if (isKnown) this.#tie("exit", session, event);
    else {
      put(this.#standing("exit"), session, event);
      this.#exits.delete(session);
    }
  }

  /** What is decided of a session is not asked for. */
  forget(session: number): void {
    this.#firsts.delete(session);
    this.#exits.delete(session);
  }

  #standing(kind: Kind): Standing {
    const { firstParts, firstRows, entryUrls, exitParts, exitRows, exitUrls } = this.columns;
    return kind === "first" ? { parts: firstParts, rows: firstRows, urls: entryUrls } : { parts: exitParts, rows: exitRows, urls: exitUrls };
  }

  #tie(kind: Kind, session: number, event: EventOfPart): void {
    const standing = this.#standing(kind);
    const ties = kind === "first" ? this.#firsts : this.#exits;
    const known = ties.get(session);
    const [part, row, url] = [standing.parts[session]!, standing.rows[session]!, standing.urls[session]!];
    if (known !== undefined) known.push({ ...event, id: null });
    else if (part === event.part && this.parts[part]!.sealed) {
      if (kind === "first" ? event.row < row : event.row > row) put(standing, session, event);
    } else ties.set(session, [{ part, row, url, id: null }, { ...event, id: null }]);
  }

  /** Decides. Cost: the ids of the parts concerned. */
  *decide(rowsOf: readonly Rows[]): Reading {
    const ofPart = new Map<number, Tied[]>();
    for (const tied of [...this.#firsts.values(), ...this.#exits.values()].flat()) {
      const list = ofPart.get(tied.part);
      if (list === undefined) ofPart.set(tied.part, [tied]);
      else list.push(tied);
    }
    for (const [part, list] of ofPart) {
      const rows = rowsOf[part]!;
      yield { rows, columns: [ID_COLUMN] };
      const ids = rows.ids();
      for (const tied of list) tied.id = ids.slice(tied.row * 16, tied.row * 16 + 16);
    }
    settle(this.#firsts, this.#standing("first"), -1);
    settle(this.#exits, this.#standing("exit"), 1);
  }
}

function put({ parts, rows, urls }: Standing, session: number, event: EventOfPart): void {
  parts[session] = event.part;
  rows[session] = event.row;
  urls[session] = event.url;
}

/** @param sign whether the greatest id decides, or the least */
function settle(ties: Map<number, Tied[]>, standing: Standing, sign: 1 | -1): void {
  for (const [session, list] of ties) put(standing, session, list.reduce((one, other) => (compareIds(other.id!, 0, one.id!, 0) * sign > 0 ? other : one)));
  ties.clear();
}
