/** Marks a text column whose values are JSON: the canonical extension type `arrow.json`, as field metadata. */
export const JSON_MARK: readonly [key: string, value: string] = ["ARROW:extension:name", "arrow.json"];
