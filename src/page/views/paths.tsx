import { useState } from "preact/hooks";
import { pathsQuery } from "../api/queries.js";
import { sheetOf } from "../format/sheet.js";
import { Select, TextField, FIELD_SUGGESTIONS, useFieldValues, Settings } from "../parts/fields.js";
import { usePage, useQuery, useChoices } from "../parts/page-context.js";
import { Panel } from "../parts/panel.js";
import type { PathsAnswer } from "../api/answers.js";
import { number, percent, fieldValue, noun, plural } from "../format/text.js";
import { Num } from "../../charts/figures.js";
import { Grid } from "../parts/tables.js";
import { NothingHere } from "./remarks.js";

type Node = PathsAnswer["nodes"][number];

interface NodePosition {
  readonly key: string;
  readonly node: Node;
  readonly x: number;
  readonly y: number;
  /** Visits as a share of those of the largest node. */
  readonly share: number;
}

/** Pixels. */
const NODE_HEIGHT = 34;
const NODE_WIDTH = 168;
const NODE_GAP = 8;
const COLUMN_GAP = 68;
/** Nodes per column, the largest ones. */
const COLUMN_ROWS = 9;
const THICKEST = 20;

function flowLayout({ nodes, edges }: PathsAnswer) {
  const steps = [...new Set(nodes.map(({ step }) => step))].sort((a, b) => a - b);
  const largest = Math.max(1, ...nodes.map(({ sessions }) => sessions));
  const columns = steps.map((step, column) =>
    nodes
      .filter((node) => node.step === step)
      .slice(0, COLUMN_ROWS)
      .map((node, row) => ({
        key: keyOf(step, node.value),
        node,
        x: column * (NODE_WIDTH + COLUMN_GAP),
        y: row * (NODE_HEIGHT + NODE_GAP),
        share: node.sessions / largest,
      })),
  );
  const positions = new Map(columns.flat().map((position) => [position.key, position]));
  const widest = Math.max(1, ...edges.map(({ sessions }) => sessions));
  const ribbons = edges.flatMap(({ step, from, to, sessions }) => {
    const [start, end] = [positions.get(keyOf(step, from)), positions.get(keyOf(step + 1, to))];
    if (start === undefined || end === undefined) return [];
    return [{ from: start.key, to: end.key, path: curve(start, end), thickness: Math.max(1, (sessions / widest) * THICKEST) }];
  });
  const rows = Math.max(1, ...columns.map(({ length }) => length));
  return { columns, ribbons, width: columns.length * (NODE_WIDTH + COLUMN_GAP) - COLUMN_GAP, height: rows * (NODE_HEIGHT + NODE_GAP) };
}

function keyOf(step: number, value: string): string {
  return `${step} ${value}`;
}

function curve(start: NodePosition, end: NodePosition): string {
  const [x1, y1, x2, y2] = [start.x + NODE_WIDTH, start.y + NODE_HEIGHT / 2, end.x, end.y + NODE_HEIGHT / 2];
  const middle = (x1 + x2) / 2;
  return `M${x1} ${y1}C${middle} ${y1} ${middle} ${y2} ${x2} ${y2}`;
}

function Flow({ answer }: { readonly answer: PathsAnswer }) {
  const [{ node: field }, change] = useChoices("paths");
  const [chosen, setChosen] = useState<string | null>(null);
  if (answer.sessions === 0) return <NothingHere />;
  const { columns, ribbons, width, height } = flowLayout(answer);
  const isHighlighted = (from: string, to: string) => chosen === null || chosen === from || chosen === to;
  return (
    <>
      <p class="lead">
        <Num shown={number(answer.sessions)} /> {noun(answer.sessions, "visit")} followed these paths
      </p>
      <div class="scroll" tabIndex={0} role="group" aria-label="Values by step">
        <div
          class="flow"
          style={{ width: `${width}px`, height: `${height}px` }}
          onPointerLeave={() => setChosen(null)}
          onBlurCapture={() => setChosen(null)}
        >
          <svg class="flow-ribbons" width={width} height={height} aria-hidden="true">
            {ribbons.map(({ from, to, path, thickness }) => (
              <path key={`${from} ${to}`} d={path} stroke-width={thickness} class={isHighlighted(from, to) ? "ribbon lit" : "ribbon"} />
            ))}
          </svg>
          {columns.flat().map((position) => (
            <NodeButton
              key={position.key}
              position={position}
              label={fieldValue(field, position.node.value)}
              onHighlight={() => setChosen(position.key)}
              onStart={() => change({ start: position.node.value })}
            />
          ))}
        </div>
      </div>
      <p class="remark">The most frequent values of each step. Click one to start the paths there.</p>
    </>
  );
}

interface NodeButtonProps {
  readonly position: NodePosition;
  readonly label: string;
  readonly onHighlight: () => void;
  readonly onStart: () => void;
}

function NodeButton({ position: { node, x, y, share }, label, onHighlight, onStart }: NodeButtonProps) {
  return (
    <button
      type="button"
      class="flow-node"
      style={{ left: `${x}px`, top: `${y}px`, height: `${NODE_HEIGHT}px` }}
      title={`${label}\n${descriptionOf(node)}`}
      onPointerEnter={onHighlight}
      onFocus={onHighlight}
      onClick={onStart}
    >
      <span class="flow-node-bar" style={{ width: `${share * 100}%` }} />
      <span class="flow-node-name">{label}</span>
      <span class="flow-node-figure num">
        {number(node.sessions).short}
        <span class="unseen"> {descriptionOf(node)}</span>
      </span>
    </button>
  );
}

function descriptionOf({ step, sessions, drop_offs }: Node): string {
  return `step ${step}: ${plural(sessions, "visit", "visits", number(sessions).exact)}, ${number(drop_offs).exact} ended here`;
}

const SHOWN_ROWS = 15;

function Sequences({ answer: { sequences, sessions }, field }: { readonly answer: PathsAnswer; readonly field: string }) {
  return (
    <Grid
      label="Paths"
      empty="None"
      rows={sequences.slice(0, SHOWN_ROWS)}
      keyOf={({ values }) => JSON.stringify(values)}
      columns={[
        {
          name: "Path",
          cell: ({ values }) => (
            <span class="path-values">
              {values.map((value, at) => (
                <span key={at}>
                  {at > 0 && <span class="faint"> → </span>}
                  {fieldValue(field, value)}
                </span>
              ))}
            </span>
          ),
        },
        { name: "Visits", isNumber: true, cell: (row) => <Num shown={number(row.sessions)} /> },
        { name: "Of all", isNumber: true, cell: (row) => <Num shown={percent(row.sessions / sessions)} /> },
      ]}
    />
  );
}

const DEPTHS = ["3", "4", "5", "6", "8"] as const;

export function Paths() {
  const { scope } = usePage();
  const [chosen, change] = useChoices("paths");
  const result = useQuery(pathsQuery(scope, chosen));
  const values = useFieldValues(chosen.node);
  const depth = DEPTHS.find((name) => name === String(chosen.depth)) ?? "4";
  return (
    <>
      <Settings label="Path settings">
        <TextField label="Steps" value={chosen.node} suggestions={FIELD_SUGGESTIONS} onCommit={(node) => change({ node, start: "", end: "" })} />
        <TextField label="Starting at" value={chosen.start} suggestions={values} placeholder="anywhere" onCommit={(start) => change({ start })} />
        <TextField label="Ending at" value={chosen.end} suggestions={values} placeholder="anywhere" onCommit={(end) => change({ end })} />
        <Select
          label="Number of steps"
          value={depth}
          names={DEPTHS.map((name) => [name, name] as const)}
          onChoose={(name) => change({ depth: Number(name) })}
        />
      </Settings>
      <Panel title="Paths" result={result} lines={12} sheet={({ edges }) => sheetOf(edges)}>
        {(answer) => <Flow answer={answer} />}
      </Panel>
      <Panel title="Most frequent paths" result={result} lines={12} sheet={({ sequences }) => sheetOf(sequences)}>
        {(answer) => <Sequences answer={answer} field={chosen.node} />}
      </Panel>
    </>
  );
}
