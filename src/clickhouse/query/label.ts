import { labelOf as labelOfValue, walk } from "../../query/filter/value-test.js";
import type { Operand } from "../../query/plan/plan.js";
import { jsonOfTagged } from "../ingest/event-rows.js";
import { joined, sql, type Sql } from "../sql/sql.js";
import { keyColumn } from "../tables/metadata-columns.js";
import { foundOf, tagged } from "./operand.js";
import type { Needs } from "./needs.js";

/** The label of a row's value as a whole: that of an array is its JSON text. */
export interface Label {
  /** SQL for a list of texts. */
  column(needs: Needs): Sql;
  /** The label that these texts give; `""` for a row without a value. */
  textOf(texts: readonly string[]): string;
}

export function labelOf(operand: Operand): Label {
  switch (operand.kind) {
    case "metadataKey":
      return new FirstOf([], [{ key: operand.key, rest: [] }]);
    case "metadataPath": {
      const [root = "", ...rest] = operand.path.split(".");
      return new FirstOf([], [{ key: operand.path, rest: [] }, ...(rest.length === 0 ? [] : [{ key: root, rest }])]);
    }
    case "member":
      return new FirstOf([{ kind: "field", field: operand.field }], [{ key: operand.field, rest: [] }]);
    case "person":
    case "company":
      return new OfTrait(operand);
    default:
      return new FirstOf([operand], []);
  }
}

/** The first value that is set: of `own`, then of `keys`, each followed into its value by `rest`. */
class FirstOf implements Label {
  constructor(
    readonly own: readonly Operand[],
    readonly keys: readonly { readonly key: string; readonly rest: readonly string[] }[],
  ) {}

  column(needs: Needs): Sql {
    const own = this.own.map((operand) => foundOf(operand, needs)).map((found) => (found.kind === "text" ? found.text : sql`''`));
    return sql`[${joined([...own, ...this.keys.map(({ key }) => tagged(keyColumn(key)))], ", ")}]`;
  }

  textOf(texts: readonly string[]): string {
    const place = texts.findIndex((text) => text !== "");
    const text = texts[place] ?? "";
    const key = this.keys[place - this.own.length];
    return key === undefined ? text : labelOfValue(walk(JSON.parse(jsonOfTagged(text)), key.rest));
  }
}

/** Traits are joined with their label. */
class OfTrait implements Label {
  constructor(readonly operand: Operand) {}

  column(needs: Needs): Sql {
    const found = foundOf(this.operand, needs);
    return sql`[${found.kind === "trait" ? found.label : sql`''`}]`;
  }

  textOf([text = ""]: readonly string[]): string {
    return text;
  }
}
