/** Fraction digits by ISO 4217, for currencies that do not have two. */
const DIGITS: ReadonlyMap<string, number> = new Map([
  ..."JPY KRW VND CLP ISK UGX XAF XOF XPF PYG RWF KMF GNF DJF BIF VUV".split(" ").map((code): [string, number] => [code, 0]),
  ..."BHD IQD JOD KWD LYD OMR TND".split(" ").map((code): [string, number] => [code, 3]),
]);

/** The number of fraction digits of amounts in a currency. */
export function digitsOf(currency: string): number {
  return DIGITS.get(currency) ?? 2;
}
