const numberForm = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** The number that a text in JSON number form stands for; null for any other text and for what overflows. */
export function numberOf(text: string): number | null {
  if (!numberForm.test(text)) return null;
  const value = Number(text);
  return Number.isFinite(value) ? value : null;
}
