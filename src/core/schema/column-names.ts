import { shown } from "../base/errors.js";
import { FIELDS } from "./fields.js";

/** The target of a file column: an event member or a metadata key. */
export interface ColumnPlace {
  /** In camelCase; null for a metadata key. */
  readonly member: string | null;
  readonly key: string;
}

/** Members that are not in `FIELDS`, and names that other products use. */
const OTHER_NAMES: Readonly<Record<string, readonly string[]>> = {
  id: ["id"],
  createdAt: ["createdAt", "timestamp", "time", "created"],
  metadata: ["metadata"],
  identityId: ["identityId"],
  name: ["event", "eventName"],
  userId: ["distinctId", "user"],
  referrer: ["referer"],
};
const METADATA_PREFIX = "metadata.";

const memberOf = new Map<string, string>([
  ...FIELDS.flatMap(({ camel, aliases }) => [camel, ...aliases].map((name): [string, string] => [plain(name), camel])),
  ...Object.entries(OTHER_NAMES).flatMap(([member, names]) => names.map((name): [string, string] => [plain(name), member])),
]);

/**
 * Maps the columns of a file to event members, ignoring case and separators, or else to metadata keys. `metadata.KEY` always means that key.
 * @throws Error for a column without a name, two columns with the same target, or a near-miss of a member name that no other column fills
 */
export function placesOfColumns(columns: readonly string[]): ColumnPlace[] {
  const filled = new Set(columns.map((column) => memberOf.get(plain(column))));
  const places = columns.map((column, index) => placeOf(column, index, filled));
  const first = new Map<string, string>();
  places.forEach(({ member, key }, index) => {
    const column = columns[index] ?? "";
    const place = member ?? METADATA_PREFIX + key;
    const other = first.get(place);
    if (other !== undefined) throw new Error(`the columns ${shown(other)} and ${shown(column)} both fill ${place}: keep one, or rename the other to ${METADATA_PREFIX}NAME`);
    first.set(place, column);
  });
  return places;
}

function placeOf(given: string, index: number, filled: ReadonlySet<string | undefined>): ColumnPlace {
  // A key after the prefix is used verbatim, including trailing blanks.
  const start = given.trimStart();
  if (start.toLowerCase().startsWith(METADATA_PREFIX) && start.length > METADATA_PREFIX.length) return { member: null, key: start.slice(METADATA_PREFIX.length) };
  const column = given.trim();
  const name = plain(column);
  const member = memberOf.get(name);
  if (member !== undefined) return { member, key: column };
  if (column === "") throw new Error(`column ${index + 1} has no name`);
  const near = [...memberOf].find(([known, nearly]) => !filled.has(nearly) && isSlip(name, known));
  if (near === undefined) return { member: null, key: column };
  throw new Error(`the column ${shown(column)} looks like ${near[1]}: rename it to that, or to ${METADATA_PREFIX}${column} for a metadata key`);
}

/** Normalizes a column name: lower case, without separators. */
function plain(name: string): string {
  return name.toLowerCase().replace(/[\s_.-]/g, "");
}

/** Whether a word differs from another by one extra, missing or wrong letter (not the first), or by two swapped neighbours. */
function isSlip(word: string, known: string): boolean {
  if (known.length < 3 || Math.abs(word.length - known.length) > 1) return false;
  let at = 0;
  while (at < word.length && word[at] === known[at]) at += 1;
  const [rest, knownRest] = [word.slice(at), known.slice(at)];
  if (rest[0] === knownRest[1] && rest[1] === knownRest[0] && rest.slice(2) === knownRest.slice(2)) return true;
  return at > 0 && (rest.slice(1) === knownRest.slice(1) || rest === knownRest.slice(1) || rest.slice(1) === knownRest);
}
