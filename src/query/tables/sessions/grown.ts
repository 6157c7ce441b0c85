type Numbers = Float64Array | Uint32Array | Int32Array;

/** The array with room for at least `count` numbers: itself, or a copy of at least twice the length. */
export function grown<A extends Numbers>(numbers: A, count: number): A {
  if (count <= numbers.length) return numbers;
  const Kind = numbers.constructor as new (length: number) => A;
  const longer = new Kind(Math.max(count, numbers.length * 2));
  longer.set(numbers);
  return longer;
}
