import { sql, type Sql } from "../sql/sql.js";
import type { ValueLocation } from "./operand.js";

/**
 * The texts under which a row counts, at least one; `""` where nothing is set.
 * Numbers and booleans count as JSON text, objects as canonical JSON, an array under each distinct element.
 */
export function propertiesOf(found: ValueLocation): Sql {
  if (found.kind === "text") return sql`[${found.text}]`;
  return sql`if(empty(${found.leaves}), [''], arrayDistinct(arrayMap(leaf -> substring(leaf, 2), ${found.leaves})))`;
}

/** The value of a row as one text: JSON for an array or an object; `""` or `null` where it is not set. */
export function wholeOf(found: ValueLocation): Sql {
  if (found.kind === "text") return found.text;
  return found.kind === "trait" ? found.label : sql`substring(${found.whole}, 2)`;
}
