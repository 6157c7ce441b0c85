import { DaybookError } from "../../core/base/errors.js";
import type { Operand } from "../../query/plan/plan.js";
import { isoTextOf, TAG } from "../sql/value-test.js";
import { name, sql, text, texts, type Sql } from "../sql/sql.js";
import { keyColumn, keyLeavesColumn, pathColumn, pathLeavesColumn } from "../tables/metadata-columns.js";
import { attributedLabel } from "./attribution.js";
import { companyOf } from "./companies.js";
import { nameOf } from "./known-traits.js";
import type { Needs, TraitColumns } from "./needs.js";
import { touchOf } from "./touch.js";
import { identityIdOfWho } from "./who.js";

/** How to find a value of a row. */
export type ValueLocation =
  /** A text; `""` where it is not set. */
  | { readonly kind: "text"; readonly text: Sql }
  /** The tagged scalars and objects that count as the value: several for an array, none where it is not set. `whole` is its tagged text. */
  | { readonly kind: "leaves"; readonly leaves: Sql; readonly whole: Sql }
  /** The same for a trait, with its label. */
  | ({ readonly kind: "trait" } & TraitColumns);

const METADATA_UNSET = [TAG.null, TAG.text, ""];

/** How to find an operand's value; registers the joins for it. */
export function foundOf(operand: Operand, needs: Needs): ValueLocation {
  switch (operand.kind) {
    case "field":
      return { kind: "text", text: sql`toString(${name(operand.field)})` };
    case "path":
      return { kind: "text", text: sql`extract(url, '^[^?#]*')` };
    case "referrerDomain":
      return { kind: "text", text: sql`referrerDomain` };
    case "id":
      return { kind: "text", text: sql`toString(id)` };
    case "createdAt":
      return { kind: "text", text: isoTextOf(sql`ms`) };
    case "metadataKey":
      return { kind: "leaves", ...leavesAt(operand.key, null) };
    case "metadataPath":
      return { kind: "leaves", ...leavesAt(operand.path, operand.path.includes(".") ? operand.path : null) };
    case "member": {
      const own = sql`concat(${text(operand.field === "value" ? TAG.number : TAG.text)}, ${name(operand.field)})`;
      const { leaves, whole } = leavesAt(operand.field, null);
      const isOwn = sql`${name(operand.field)} != ''`;
      return { kind: "leaves", leaves: sql`if(${isOwn}, [${own}], ${leaves})`, whole: sql`if(${isOwn}, ${own}, ${whole})` };
    }
    case "identityId":
      return { kind: "text", text: identityIdOfWho(needs.who()) };
    case "companyId":
      return { kind: "text", text: companyOf(needs) };
    case "touch":
      return { kind: "text", text: touchOf(operand.dimension, needs.touch) };
    case "paymentTouch":
      return { kind: "text", text: attributedLabel(operand.model, operand.dimension, needs) };
    case "person":
      return { kind: "trait", ...needs.trait(nameOf(operand), needs.who(), needs.moment.known(operand)) };
    case "company":
      return { kind: "trait", ...needs.trait(nameOf(operand), companyOf(needs), needs.moment.known(operand)) };
    case "segment":
      throw new DaybookError("internal", "membership in a segment has no value");
  }
}

/** The value at a key, else at a path. */
function leavesAt(key: string, path: string | null): { readonly leaves: Sql; readonly whole: Sql } {
  const [leaves, whole] = [leavesOf(keyColumn(key), keyLeavesColumn(key)), tagged(keyColumn(key))];
  if (path === null) return { leaves, whole };
  const isKey = isThere(keyColumn(key));
  return {
    leaves: sql`if(${isKey}, ${leaves}, ${leavesOf(pathColumn(path), pathLeavesColumn(path))})`,
    whole: sql`if(${isKey}, ${whole}, ${tagged(pathColumn(path))})`,
  };
}

/** The tagged value in a metadata column; `""` where it is missing. */
export function tagged(column: string): Sql {
  return sql`ifNull(metadata.${name(column)}.:String, '')`;
}

function isThere(column: string): Sql {
  return sql`metadata.${name(column)}.:String IS NOT NULL`;
}

function leavesOf(column: string, leavesColumn: string): Sql {
  const value = tagged(column);
  const several = sql`CAST(metadata.${name(leavesColumn)}.:\`Array(Nullable(String))\`, 'Array(String)')`;
  const single = sql`if(${value} IN ${texts(METADATA_UNSET)}, CAST([], 'Array(String)'), [${value}])`;
  return sql`if(substring(${value}, 1, 1) IN ${texts([TAG.array, TAG.object])}, ${several}, ${single})`;
}
