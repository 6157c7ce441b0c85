import { DaybookError } from "../../core/base/errors.js";
import { labelOf as labelOfValue, walk } from "../../query/filter/value-test.js";
import type { Operand } from "../../query/plan/plan.js";
import { jsonOfTagged } from "../ingest/event-rows.js";
import { isoTextOf, TAG } from "../sql/value-test.js";
import { EMPTY, name, sql, text, texts, type Bound, type Sql } from "../sql/sql.js";
import { keyColumns, pathColumns, type MetadataColumns } from "../tables/layout.js";
import { companyOf } from "./companies.js";
import { nameOf, type TraitOperand } from "./known-traits.js";
import type { RequiredJoins } from "./required-joins.js";
import { attributedLabel, touchOf } from "./touch.js";
import { identityIdOfKey } from "./identity-context.js";

export type ValueLocation =
  /** A text; `""` where it is not set. */
  | { readonly kind: "text"; readonly text: Sql }
  /** The tagged scalars and objects that count as the value: several for an array, none where it is not set. `whole` is its tagged text. */
  | { readonly kind: "leaves"; readonly leaves: Sql; readonly whole: Sql }
  /** The same for a trait, with the label of its value as a whole. */
  | { readonly kind: "trait"; readonly leaves: Sql; readonly label: Sql };

const METADATA_UNSET = [TAG.null, TAG.text, ""];

/** How to find an operand's value; registers the joins for it. */
export function foundOf(operand: Operand, needs: RequiredJoins): ValueLocation {
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
      return { kind: "text", text: identityIdOfKey(needs.identityKey()) };
    case "companyId":
      return { kind: "text", text: companyOf(needs) };
    case "touch":
      return { kind: "text", text: touchOf(operand.dimension, needs.context.touch) };
    case "paymentTouch":
      return { kind: "text", text: attributedLabel(operand.model, operand.dimension, needs) };
    case "person":
      return joinedTrait(operand, needs.identityKey(), needs);
    case "company":
      return joinedTrait(operand, companyOf(needs), needs);
    case "segment":
      throw new DaybookError("internal", "membership in a segment has no value");
  }
}

/** A trait of the owner that `owner` computes. @param joinName distinguishes owners of one trait */
export function joinedTrait(operand: TraitOperand, owner: Sql, needs: RequiredJoins, joinName = nameOf(operand)): ValueLocation {
  const [leaves = EMPTY, label = EMPTY] = needs.join(joinName, (number) => {
    const [of, ...columns] = [name(`owner${number}`), sql`${name(`leaves${number}`)}`, sql`${name(`label${number}`)}`] as const;
    const [ownLeaves, ownLabel] = columns;
    const known = sql`SELECT owner AS ${of}, leaves AS ${ownLeaves}, label AS ${ownLabel} FROM (${needs.context.known(operand).rows()})`;
    return { joins: sql`GLOBAL ANY LEFT JOIN (${known}) AS ${name(`known${number}`)} ON ${of} = ${owner}`, columns };
  });
  return { kind: "trait", leaves, label };
}

/** At least one, `""` where nothing is set. Numbers and booleans count as JSON, objects as canonical JSON, an array under each distinct element. */
export function propertiesOf(found: ValueLocation): Sql {
  if (found.kind === "text") return sql`[${found.text}]`;
  return sql`if(empty(${found.leaves}), [''], arrayDistinct(arrayMap(leaf -> substring(leaf, 2), ${found.leaves})))`;
}

/** The value of a row as one text: JSON for an array or an object; `""` or `null` where it is not set. */
export function wholeOf(found: ValueLocation): Sql {
  if (found.kind === "text") return found.text;
  return found.kind === "trait" ? found.label : sql`substring(${found.whole}, 2)`;
}

/** The value at a key, else at a path. */
function leavesAt(key: string, path: string | null): { readonly leaves: Sql; readonly whole: Sql } {
  const [leaves, whole] = [leavesOf(keyColumns(key)), tagged(keyColumns(key))];
  if (path === null) return { leaves, whole };
  const isKey = isThere(keyColumns(key));
  return {
    leaves: sql`if(${isKey}, ${leaves}, ${leavesOf(pathColumns(path))})`,
    whole: sql`if(${isKey}, ${whole}, ${tagged(pathColumns(path))})`,
  };
}

function tagged({ value }: MetadataColumns): Sql {
  return sql`ifNull(metadata.${name(value)}.:String, '')`;
}

function isThere({ value }: MetadataColumns): Sql {
  return sql`metadata.${name(value)}.:String IS NOT NULL`;
}

function leavesOf(columns: MetadataColumns): Sql {
  const value = tagged(columns);
  const several = sql`CAST(metadata.${name(columns.leaves)}.:\`Array(Nullable(String))\`, 'Array(String)')`;
  const single = sql`if(${value} IN ${texts(METADATA_UNSET)}, CAST([], 'Array(String)'), [${value}])`;
  return sql`if(substring(${value}, 1, 1) IN ${texts([TAG.array, TAG.object])}, ${several}, ${single})`;
}

/** Labels of values as a whole. Arrays and objects are stored as they were sent: their labels are computed here, one for each distinct text. */
export interface Label {
  /** SQL for the label of a row; `""` for one without a value. @param known labels by the text of `composite` */
  of(needs: RequiredJoins, known: ReadonlyMap<string, string>): Sql;
  /** SQL for a text that stands for the array or object of a row; `""` for any other value. Null: no value is one. */
  readonly composite: ((needs: RequiredJoins) => Sql) | null;
  ofComposite(text: string): string;
}

export function labelOf(operand: Operand): Label {
  switch (operand.kind) {
    case "metadataKey":
      return storedLabel(sql`''`, operand.key, null);
    case "metadataPath":
      return storedLabel(sql`''`, operand.path, operand.path.includes(".") ? operand.path : null);
    case "member":
      return storedLabel(name(operand.field), operand.field, null);
    default:
      return { of: (needs) => sql`toString(${wholeOf(foundOf(operand, needs))})`, composite: null, ofComposite: (text) => text };
  }
}

/** Prefixes of composites: what lies at the key itself, and the value that a path begins in. */
const COMPOSITE = { key: "k", root: "r" } as const;

/** @param own text that comes first, where it is set */
function storedLabel(own: Sql | Bound, key: string, path: string | null): Label {
  const ofKey = tagged(keyColumns(key));
  const [root = "", ...rest] = key.split(".");
  const isComposite = (value: Sql) => sql`substring(${value}, 1, 1) IN ${texts([TAG.array, TAG.object])}`;
  const below = path === null ? null : tagged(pathColumns(path));
  const ofBelow = below === null ? sql`''` : sql`if(${isComposite(below)}, concat(${text(COMPOSITE.root)}, ${tagged(keyColumns(root))}), '')`;
  const composite = sql`multiIf(${own} != '', '', ${isComposite(ofKey)}, concat(${text(COMPOSITE.key)}, ${ofKey}), ${ofKey} != '', '', ${ofBelow})`;
  const scalar = sql`multiIf(${own} != '', ${own}, ${ofKey} != '', substring(${ofKey}, 2), ${below === null ? sql`''` : sql`substring(${below}, 2)`})`;
  return {
    of: (_, known) => {
      const label = known.size === 0 ? sql`''` : sql`transform(${composite}, ${texts([...known.keys()])}, ${texts([...known.values()])}, '')`;
      return sql`if(${composite} != '', ${label}, ${scalar})`;
    },
    composite: () => composite,
    ofComposite: (found) => {
      const value: unknown = JSON.parse(jsonOfTagged(found.slice(1)));
      return labelOfValue(found.startsWith(COMPOSITE.key) ? value : walk(value, rest));
    },
  };
}
