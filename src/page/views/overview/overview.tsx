import type { WebAnswer } from "../../ask/answers.js";
import { earlierQuestion, webQuestion } from "../../ask/questions/overview.js";
import { seesOthers } from "../../ask/rights.js";
import { number } from "../../format/number.js";
import { sheetOf } from "../../format/sheet.js";
import { Tabs } from "../../parts/tabs.js";
import { Num } from "../../parts/number.js";
import { usePage } from "../../parts/page-context.js";
import { Panel } from "../../parts/panel.js";
import { useReply } from "../../parts/reply.js";
import { choose } from "../../state/picture.js";
import { NothingHere } from "../nothing-here.js";
import { FigureStrip } from "./figures.js";
import { OverviewPlot } from "./plot.js";
import { OverviewRevenue } from "./revenue.js";
import { Lists } from "./lists.js";

const PLOTTED = [
  ["visitors", "Visitors"],
  ["visits", "Visits"],
  ["views", "Views"],
] as const;

/** How a site does: figures, their course, and where it all comes from. */
export function Overview() {
  const { picture, scope, token, go } = usePage();
  const web = useReply(webQuestion(scope));
  const { figure } = picture.choices.overview;
  const earlier = useReply(earlierQuestion(scope, figure));
  const figures = (
    <Tabs label="Plotted figure" names={PLOTTED} chosen={figure} onChoose={(chosen) => go(choose(picture, "overview", { figure: chosen }))} />
  );
  return (
    <>
      <Panel
        title="Visitors and visits"
        class="figures-panel"
        reply={web}
        also={earlier.question}
        sheet={sheetOfWeb}
        lines={10}
        head={
          <>
            <Online answer={web.answer} />
            {figures}
          </>
        }
      >
        {(answer) =>
          isNothing(answer) ? (
            <NothingHere />
          ) : (
            <>
              <FigureStrip figures={answer.figures} previous={answer.previous} />
              <OverviewPlot answer={answer} figure={figure} earlier={earlier.isOld ? null : (earlier.answer?.previous ?? null)} />
            </>
          )
        }
      </Panel>
      {(web.answer === null || !isNothing(web.answer)) && <Lists web={web} />}
      {seesOthers(token, "revenue:read") && <OverviewRevenue />}
    </>
  );
}

function Online({ answer }: { readonly answer: WebAnswer | null }) {
  if (answer === null) return null;
  const { now_online: count } = answer;
  return (
    <span class={count > 0 ? "online some" : "online"} title="People with an event in the last five minutes, whatever the filters and dates">
      <Num shown={number(count)} hook="now_online" /> online now
    </span>
  );
}

function isNothing({ figures }: WebAnswer): boolean {
  return figures.visitors === 0 && figures.visits === 0 && figures.views === 0;
}

function sheetOfWeb({ chart, figures }: WebAnswer) {
  return sheetOf((chart ?? []).length > 0 ? (chart ?? []) : [figures]);
}
