import type { Canonical, Cell, BenchQuery, Window } from "../bench-query.js";
import type { TrafficEvent } from "../traffic.js";

/** What an engine's client makes of a value: of those that are objects, their text is compared. */
type PeerValue = null | boolean | number | bigint | string | { toString(): string };

/** An engine that answers the benchmark's queries from its own copy of the events. */
export interface Peer {
  readonly name: string;
  /** Of which it is one copy of the events. */
  readonly engine: string;
  /** The whole answer as plain values, column by column. */
  run(query: BenchQuery, window: Window): Promise<readonly (readonly PeerValue[])[]>;
}

export type PeerKey = "duckdb" | "chdb";

/** One engine with its copies of the events, each a peer. */
export interface PeerLoad {
  readonly key: PeerKey;
  readonly name: string;
  readonly peers: readonly Peer[];
  readonly appendEventsPerSecond: number;
  readonly diskBytesPerEvent: number;
  close(): void;
}

/** Loads events into an engine, which keeps its files in a directory. */
export type LoadPeer = (directory: string, batches: Iterable<TrafficEvent[]>) => Promise<PeerLoad>;

/** A window as half-open instants. */
export function boundsMs({ startDate, endDate }: Window): { fromMs: number; toMs: number } {
  return { fromMs: Date.parse(startDate), toMs: Date.parse(endDate) + 86_400_000 };
}

const cellOf = (value: PeerValue | undefined): Cell => {
  if (value === null || value === undefined) return "";
  return typeof value === "number" || typeof value === "bigint" ? Number(value) : String(value);
};

/** A peer's columns in the form in which engines are compared. */
export function canonicalColumns(answer: readonly (readonly PeerValue[])[], { comparedColumnCount }: BenchQuery): Canonical {
  const [keys = [], ...others] = answer.slice(0, comparedColumnCount);
  if (others.length === 0) return Number(keys[0]);
  return keys.map((key, at) => [cellOf(key), ...others.map((column) => cellOf(column[at]))]);
}
