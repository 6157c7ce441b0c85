/** What an answer takes at the least, by the plainest loop. */
export interface Bound {
  /** What the loop did. */
  readonly description: string;
  readonly leastMs: number;
}
