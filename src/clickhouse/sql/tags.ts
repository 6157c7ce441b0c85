/**
 * The prefix of a metadata value: missing, null, `""`, 5 and "5" differ, and no text is parsed as a date.
 * After the tag of an array or object comes its JSON text as sent.
 */
export const TAG = { text: "s", number: "n", boolean: "b", null: "z", array: "a", object: "o" } as const;
