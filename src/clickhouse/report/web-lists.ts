import { byIdentity, visitList } from "../../query/answer/visits/visit-list.js";
import { NOT_SET, NO_TOUCH } from "../../query/answer/visits/web-figures.js";
import { Scratch } from "../../core/base/scratch.js";
import type { WebOverview, WebVisits } from "../../query/plan/insights/answers.js";
import type { TouchDimension, TouchRule } from "../../query/plan/plan.js";
import { isTouch, touchOf } from "../query/touch.js";
import { joined, name, sql, type Sql } from "../sql/sql.js";
import { TextNumbers } from "./text-numbers.js";
import { entryPage, exitPage, type KeyedVisits, type KeyOf, type VisitEvent } from "./visit-table.js";

const DIMENSIONS: readonly TouchDimension[] = ["source", "medium", "campaign"];
const FIELDS = ["location_country", "device", "browser", "os"] as const;

/** What the lists need besides urls, from the first event of a visit. */
export type FirstEvent = readonly [isBrought: boolean, touch: readonly string[], fields: readonly string[]];

type FirstEvents = readonly VisitEvent<FirstEvent>[];

/** SQL for the columns of `FirstEvent`. */
export function firstEventOf({ touch }: { readonly touch: TouchRule }): Sql {
  const touches = joined(DIMENSIONS.map((dimension) => touchOf(dimension, touch)), ", ");
  const fields = joined(FIELDS.map((field) => sql`toString(${name(field)})`), ", ");
  return sql`, ${isTouch(touch)}, [${touches}], [${fields}]`;
}

type ListName = "entryPages" | "exitPages" | "sources" | "mediums" | "campaigns" | "countries" | "devices" | "browsers" | "systems";

const VALUES: Readonly<Record<ListName, (events: FirstEvents) => string>> = {
  entryPages: entryPage,
  exitPages: exitPage,
  sources: touchBy("source"),
  mediums: touchBy("medium"),
  campaigns: touchBy("campaign"),
  countries: fieldBy("location_country"),
  devices: fieldBy("device"),
  browsers: fieldBy("browser"),
  systems: fieldBy("os"),
};
const NAMES = Object.keys(VALUES) as ListName[];

function touchBy(dimension: TouchDimension): (events: FirstEvents) => string {
  return ([first]) => {
    const [, , , isBrought = false, touch = []] = first ?? [];
    const value = touch[DIMENSIONS.indexOf(dimension)] ?? "";
    return isBrought ? value || NOT_SET : NO_TOUCH[dimension];
  };
}

function fieldBy(field: (typeof FIELDS)[number]): (events: FirstEvents) => string {
  return ([first]) => first?.[5][FIELDS.indexOf(field)] ?? "";
}

/** Visits by the values of each list. */
export class WebLists {
  readonly #texts = NAMES.map(() => new TextNumbers());

  /** One key of a visit per list. */
  get keys(): KeyOf<FirstEvent>[] {
    return this.#texts.map((texts, at) => (events) => texts.numberOf(VALUES[NAMES[at] ?? "entryPages"](events)));
  }

  /** @param visits with these keys */
  async of({ visits, keys }: KeyedVisits, limit: number, pause: () => Promise<void>): Promise<Pick<WebOverview, ListName>> {
    return await Scratch.of(async (scratch) => {
      const people = await byIdentity(visits, scratch, pause);
      const lists: [ListName, WebVisits[]][] = [];
      for (const [at, texts] of this.#texts.entries())
        lists.push([NAMES[at] ?? "entryPages", await visitList(people, keys[at] ?? new Uint32Array(0), texts, limit, pause)]);
      return Object.fromEntries(lists) as Record<ListName, WebVisits[]>;
    });
  }
}
