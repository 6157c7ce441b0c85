import { ORDER_KEYS } from "../../derived/stored.js";
import { keyColumn } from "../ingest/tagged-metadata.js";
import { joined, name, sql, texts, type Sql } from "../sql/sql.js";
import { TAG } from "../sql/tags.js";

/** The order that an event is about; `""` for none. */
export const ORDER_KEY: Sql = sql`multiIf(externalId != '', externalId, ${joined(ORDER_KEYS.map(ofMetadata), ", ")}, '')`;

/** A text that is not empty, or a number. */
function ofMetadata(key: string): Sql {
  const tagged = sql`ifNull(metadata.${name(keyColumn(key))}.:String, '')`;
  return sql`${tagged} != ${{ type: "String", value: TAG.text }} AND substring(${tagged}, 1, 1) IN ${texts([TAG.text, TAG.number])}, substring(${tagged}, 2)`;
}
