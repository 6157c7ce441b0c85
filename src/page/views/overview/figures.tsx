import type { WebAnswer } from "../../ask/answers.js";
import { change, duration, number, percent, type Shown } from "../../format/number.js";
import { ChangeMark } from "../../parts/change-mark.js";
import { Num } from "../../parts/number.js";

type Figures = WebAnswer["figures"];

interface Kind {
  readonly name: keyof Figures;
  readonly title: string;
  readonly what: string;
  readonly show: (value: number | null) => Shown;
  /** More of it is worse. */
  readonly isCost?: boolean;
}

const KINDS: readonly Kind[] = [
  { name: "visitors", title: "Visitors", what: "Distinct people", show: number },
  { name: "visits", title: "Visits", what: "Visits that began in this time", show: number },
  { name: "views", title: "Views", what: "Page views", show: number },
  { name: "views_per_visit", title: "Views per visit", what: "Page views of the visits, a visit", show: number },
  { name: "bounce_rate", title: "Bounce rate", what: "Share of visits with one event alone", show: percent, isCost: true },
  { name: "duration_avg_sec", title: "Visit duration", what: "Mean, those of no length too", show: duration },
];

/** The figures of a time, each with its change. */
export function FigureStrip({ figures, previous }: { readonly figures: Figures; readonly previous: Figures | null }) {
  return (
    <dl class="figures">
      {KINDS.map(({ name, title, what, show, isCost }) => (
        <div class="figure" key={name}>
          <dt title={what}>{title}</dt>
          <dd>
            <span class="figure-number">
              <Num shown={show(figures[name])} hook={name} />
            </span>
            <ChangeMark change={previous === null ? null : change(figures[name], previous[name])} isCost={isCost === true} />
          </dd>
        </div>
      ))}
    </dl>
  );
}
