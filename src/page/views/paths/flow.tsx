import { useState } from "preact/hooks";
import type { PathsAnswer } from "../../ask/answers.js";
import { noun, plural } from "../../format/locale.js";
import { number } from "../../format/number.js";
import { fieldValue } from "../../format/value.js";
import { Remark } from "../../parts/notice.js";
import { Num } from "../../parts/number.js";
import { NothingHere } from "../nothing-here.js";
import { NODE_HEIGHT, flowLayout, type Node, type Place } from "./flow-layout.js";

interface FlowProps {
  readonly answer: PathsAnswer;
  readonly field: string;
  /** Begins the ways at a station. */
  readonly onStart: (value: string) => void;
}

/** Columns of stations, and the ways between them; one station at a time stands out. */
export function Flow({ answer, field, onStart }: FlowProps) {
  const [chosen, setChosen] = useState<string | null>(null);
  if (answer.sessions === 0) return <NothingHere />;
  const { columns, ribbons, width, height } = flowLayout(answer);
  const isLit = (from: string, to: string) => chosen === null || chosen === from || chosen === to;
  return (
    <>
      <p class="lead">
        <Num shown={number(answer.sessions)} /> {noun(answer.sessions, "visit")} went such ways
      </p>
      <div class="scroll" tabIndex={0} role="group" aria-label="Stations by step">
        <div
          class="flow"
          style={{ width: `${width}px`, height: `${height}px` }}
          onPointerLeave={() => setChosen(null)}
          onBlurCapture={() => setChosen(null)}
        >
          <svg class="flow-ribbons" width={width} height={height} aria-hidden="true">
            {ribbons.map(({ from, to, path, thickness }) => (
              <path key={`${from} ${to}`} d={path} stroke-width={thickness} class={isLit(from, to) ? "ribbon lit" : "ribbon"} />
            ))}
          </svg>
          {columns.flat().map((place) => (
            <Station
              key={place.key}
              place={place}
              label={fieldValue(field, place.node.value)}
              onPoint={() => setChosen(place.key)}
              onStart={() => onStart(place.node.value)}
            />
          ))}
        </div>
      </div>
      <Remark>The largest stations of each step. A click on one begins the ways there.</Remark>
    </>
  );
}

interface StationProps {
  readonly place: Place;
  readonly label: string;
  readonly onPoint: () => void;
  readonly onStart: () => void;
}

function Station({ place: { node, x, y, share }, label, onPoint, onStart }: StationProps) {
  return (
    <button
      type="button"
      class="station"
      style={{ left: `${x}px`, top: `${y}px`, height: `${NODE_HEIGHT}px` }}
      title={`${label}\n${told(node)}`}
      onPointerEnter={onPoint}
      onFocus={onPoint}
      onClick={onStart}
    >
      <span class="station-bar" style={{ width: `${share * 100}%` }} />
      <span class="station-name">{label}</span>
      <span class="station-figure num">
        {number(node.sessions).short}
        <span class="unseen"> {told(node)}</span>
      </span>
    </button>
  );
}

function told({ step, sessions, drop_offs }: Node): string {
  return `step ${step}: ${plural(sessions, "visit", "visits", number(sessions).exact)}, ${number(drop_offs).exact} ended here`;
}
