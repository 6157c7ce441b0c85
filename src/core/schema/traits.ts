/** The traits key for values that apply only where the trait is not set. */
export const SET_ONCE = "$set_once";

/** All traits keys that hold changes: each an object of values by trait name. */
export const TRAIT_CHANGES = [SET_ONCE, "$add", "$append", "$union", "$remove"] as const;
export type TraitChange = (typeof TRAIT_CHANGES)[number];

export type Traits = Readonly<Record<string, unknown>>;

/** Whether a traits key holds changes rather than a trait. */
export function isTraitChange(key: string, value: unknown): value is Traits {
  return TRAIT_CHANGES.some((each) => each === key) && typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The changes of one kind in some traits; an empty object if there are none. */
export function changesOf(traits: Traits, change: TraitChange): Traits {
  const changes = Object.hasOwn(traits, change) ? traits[change] : undefined;
  return isTraitChange(change, changes) ? changes : {};
}

/** The newest non-empty text of each trait, else its first set-once text. @param records traits as JSON, oldest first */
export function newestTexts(records: readonly string[]): Record<string, unknown> {
  const traits = records.map((text) => JSON.parse(text) as Traits);
  const once = [...traits].reverse().flatMap((each) => textsOf(changesOf(each, SET_ONCE)));
  return Object.fromEntries([...once, ...traits.flatMap(textsOf)]);
}

function textsOf(traits: Traits): [string, unknown][] {
  return Object.entries(traits).filter(([, value]) => typeof value === "string" && value !== "");
}
