/**
 * What stands before a value of metadata, so that missing, null, `""`, 5 and "5" stay apart, and no text is taken for a date. Behind the tag of an
 * array or object stands its JSON text as it came.
 */
export const TAG = { text: "s", number: "n", boolean: "b", null: "z", array: "a", object: "o" } as const;
