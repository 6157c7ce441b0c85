const WHOLE = "JPY KRW VND CLP ISK UGX XAF XOF XPF PYG RWF KMF GNF DJF BIF VUV".split(" ");
const THOUSANDTHS = "BHD IQD JOD KWD LYD OMR TND".split(" ");

/** Digits after the point that amounts of a currency are shown with; two for unknown ones. */
export function digitsOf(currency: string): number {
  if (WHOLE.includes(currency)) return 0;
  return THOUSANDTHS.includes(currency) ? 3 : 2;
}

/** A currency as it is compared: upper case for three letters, any other text as it stands. */
export function normalCurrency(text: string): string {
  return isCurrency(text) ? text.toUpperCase() : text;
}

/** True for three ASCII letters. */
export function isCurrency(text: string): boolean {
  return /^[a-z]{3}$/i.test(text);
}
