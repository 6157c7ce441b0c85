import { ORDER_KEYS } from "../../derived/stored.js";
import { keyColumn } from "../ingest/tagged-metadata.js";
import { joined, name, sql, text, texts, type Sql } from "../sql/sql.js";
import { TAG } from "../sql/tags.js";

/** The order that an event is about; `""` for none. */
export const ORDER_KEY: Sql = sql`multiIf(externalId != '', externalId, ${joined(ORDER_KEYS.map(ofMetadata), ", ")}, '')`;

/** A text that is not empty, or a number. */
function ofMetadata(key: string): Sql {
  const tagged = sql`ifNull(metadata.${name(keyColumn(key))}.:String, '')`;
  const isKey = sql`${tagged} != ${text(TAG.text)} AND substring(${tagged}, 1, 1) IN ${texts([TAG.text, TAG.number])}`;
  return sql`${isKey}, substring(${tagged}, 2)`;
}
