import type { StickinessAnswer } from "../../ask/answers.js";
import { stickinessQuestion } from "../../ask/questions/product.js";
import { noun, plural } from "../../format/locale.js";
import { number, percent } from "../../format/number.js";
import { sheetOf } from "../../format/sheet.js";
import { Remark } from "../../parts/notice.js";
import { Num } from "../../parts/number.js";
import { usePage } from "../../parts/page-context.js";
import { Panel } from "../../parts/panel.js";
import { Plot } from "../../parts/plot.js";
import { useReply } from "../../parts/reply.js";
import { Grid } from "../../parts/table.js";
import { NothingHere } from "../nothing-here.js";
import { UnitTabs } from "./unit-tabs.js";

/** Lines that the table has; the plot and the file have them all. */
const ROWS = 31;

/** On how many days, weeks or months of the range people were there. */
export function Stickiness() {
  const { picture, scope } = usePage();
  const chosen = picture.choices.retention;
  const reply = useReply(stickinessQuestion(scope, chosen));
  return (
    <Panel title="How often" reply={reply} lines={12} sheet={({ buckets }) => sheetOf(buckets[0]?.units ?? [])} head={<UnitTabs />}>
      {({ buckets: [bucket] }) =>
        bucket === undefined || bucket.entities === 0 ? <NothingHere /> : <Often bucket={bucket} unit={chosen.unit} />
      }
    </Panel>
  );
}

interface OftenProps {
  readonly bucket: StickinessAnswer["buckets"][number];
  readonly unit: "day" | "week" | "month";
}

function Often({ bucket: { avg, entities, units }, unit }: OftenProps) {
  return (
    <>
      <p class="lead">
        <Num shown={number(entities)} /> {noun(entities, "person was", "people were")} there on{" "}
        <span class="figure-number">
          <Num shown={number(avg)} hook="mean" />
        </span>{" "}
        {noun(avg ?? 0, unit)} on average
      </p>
      <Plot
        label={`People by ${unit}s`}
        kind="bar"
        isOpenEnd={false}
        labels={units.map((each) => String(each.units))}
        titles={units.map((each) => `On ${plural(each.units, unit)}`)}
        lines={[{ name: "People", data: units.map((each) => each.entities) }]}
        format={number}
      />
      <Remark>People counted without cookies are there on one day alone.</Remark>
      <Grid
        label="How often"
        rows={units.slice(0, ROWS)}
        keyOf={(row) => String(row.units)}
        columns={[
          { name: `${unit.slice(0, 1).toUpperCase()}${unit.slice(1)}s`, cell: (row) => row.units },
          { name: "People", isNumber: true, cell: (row) => <Num shown={number(row.entities)} /> },
          { name: "Or more", isNumber: true, cell: (row) => <Num shown={number(row.at_least)} /> },
          { name: "Of all", isNumber: true, cell: (row) => <Num shown={percent(row.at_least / entities)} /> },
        ]}
      />
    </>
  );
}
