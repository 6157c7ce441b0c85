import { sql, type Sql } from "../sql/sql.js";
import type { ValueLocation } from "./operand.js";

/**
 * The texts under which a row counts, a list of at least one: numbers and booleans by their JSON text, objects by their canonical JSON, an array
 * under each distinct element; `""` where nothing is set.
 */
export function propertiesOf(found: ValueLocation): Sql {
  if (found.kind === "text") return sql`[${found.text}]`;
  return sql`if(empty(${found.leaves}), [''], arrayDistinct(arrayMap(leaf -> substring(leaf, 2), ${found.leaves})))`;
}

/** The value of a row as one text: an array or an object is JSON; `""` or `null` where it is not set. */
export function wholeOf(found: ValueLocation): Sql {
  if (found.kind === "text") return found.text;
  return found.kind === "trait" ? found.label : sql`substring(${found.whole}, 2)`;
}
