import type { SessionView } from "../../table/sessions/session-view.js";
import type { RowContext } from "../form/report.js";
import { rowKeysOf, type RowKeys } from "../insights/row-keys.js";

/** Of more urls the paths are told anew by each question: they would take more memory than they are worth. */
const URL_COUNT_MAX = 64 * 1024;
/** What the path of a url takes with what it is found by, some 40 characters of it. */
const BYTES_PER_URL = 200;

/** Under which path urls stand: told once of each while sessions are kept. */
export function keptPaths({ kept }: SessionView, context: RowContext): RowKeys {
  const urlCount = context.dictionaries.named("url").size;
  const make = () => rowKeysOf([{ kind: "path" }], context);
  return urlCount > URL_COUNT_MAX ? make() : kept.lasting("paths", make, urlCount * BYTES_PER_URL);
}
