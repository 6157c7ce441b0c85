import type { PathsAnswer } from "../../ask/answers.js";

export type Node = PathsAnswer["nodes"][number];

/** Where a station stands. */
export interface Place {
  readonly key: string;
  readonly node: Node;
  readonly x: number;
  readonly y: number;
  /** Of the largest one's visits. */
  readonly share: number;
}

interface Ribbon {
  readonly from: string;
  readonly to: string;
  readonly path: string;
  readonly thickness: number;
}

interface FlowLayout {
  readonly columns: readonly (readonly Place[])[];
  readonly ribbons: readonly Ribbon[];
  readonly width: number;
  readonly height: number;
}

/** Pixels. */
export const NODE_HEIGHT = 34;
const NODE_WIDTH = 168;
const NODE_GAP = 8;
const COLUMN_GAP = 68;
/** Stations of a column, the largest ones. */
const ROWS = 9;
const THICKEST = 20;

/** Places of the stations by step and size, and the ways between those that are shown. */
export function flowLayout({ nodes, edges }: PathsAnswer): FlowLayout {
  const steps = [...new Set(nodes.map(({ step }) => step))].sort((a, b) => a - b);
  const largest = Math.max(1, ...nodes.map(({ sessions }) => sessions));
  const columns = steps.map((step, column) =>
    nodes
      .filter((node) => node.step === step)
      .slice(0, ROWS)
      .map((node, row) => ({
        key: keyOf(step, node.value),
        node,
        x: column * (NODE_WIDTH + COLUMN_GAP),
        y: row * (NODE_HEIGHT + NODE_GAP),
        share: node.sessions / largest,
      })),
  );
  const places = new Map(columns.flat().map((place) => [place.key, place]));
  const widest = Math.max(1, ...edges.map(({ sessions }) => sessions));
  const ribbons = edges.flatMap(({ step, from, to, sessions }) => {
    const [start, end] = [places.get(keyOf(step, from)), places.get(keyOf(step + 1, to))];
    if (start === undefined || end === undefined) return [];
    return [{ from: start.key, to: end.key, path: curve(start, end), thickness: Math.max(1, (sessions / widest) * THICKEST) }];
  });
  const rows = Math.max(1, ...columns.map(({ length }) => length));
  return { columns, ribbons, width: columns.length * (NODE_WIDTH + COLUMN_GAP) - COLUMN_GAP, height: rows * (NODE_HEIGHT + NODE_GAP) };
}

function keyOf(step: number, value: string): string {
  return `${step} ${value}`;
}

function curve(start: Place, end: Place): string {
  const [x1, y1, x2, y2] = [start.x + NODE_WIDTH, start.y + NODE_HEIGHT / 2, end.x, end.y + NODE_HEIGHT / 2];
  const middle = (x1 + x2) / 2;
  return `M${x1} ${y1}C${middle} ${y1} ${middle} ${y2} ${x2} ${y2}`;
}
