import { grown } from "../../../core/base/arrays.js";

type Numbers = Float64Array | Uint32Array | Int32Array;

/** The array with room for at least `count` numbers: itself, or a copy of at least twice the length. */
export function withRoomFor<A extends Numbers>(numbers: A, count: number): A {
  return count <= numbers.length ? numbers : grown(numbers, Math.max(count, numbers.length * 2));
}
