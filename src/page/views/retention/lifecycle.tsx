import type { LifecycleAnswer } from "../../ask/answers.js";
import { lifecycleQuery } from "../../ask/queries/product.js";
import { bucketLong, bucketShort } from "../../format/date.js";
import { number } from "../../format/number.js";
import { sheetOfSeries } from "../../format/sheet.js";
import { Remark } from "../../parts/notice.js";
import { Num } from "../../parts/inline.js";
import { usePage, useQuery } from "../../parts/page-context.js";
import { Panel } from "../../parts/panel.js";
import { Legend, Plot } from "../../parts/plot.js";
import { Grid } from "../../parts/table.js";
import { NothingHere } from "../remarks.js";
import { UnitTabs } from "./unit-tabs.js";

type ShownLifecycleBucket = LifecycleAnswer["buckets"][number];

const KINDS = [
  ["new", "New"],
  ["returning", "Returning"],
  ["resurrecting", "Resurrecting"],
  ["dormant", "Dormant"],
] as const;
const UNIT_NAMES = { day: "Day", week: "Week", month: "Month" } as const;
const DORMANT_REMARK = "people who may still come back count as dormant.";
/** Rows of the table, for the newest buckets; the plot and the file contain all. */
const ROWS = 12;

/** New, returning, resurrecting and dormant people of each unit of time. */
export function Lifecycle() {
  const { viewState, scope } = usePage();
  const chosen = viewState.choices.retention;
  const result = useQuery(lifecycleQuery(scope, chosen));
  const seriesOf = (buckets: readonly ShownLifecycleBucket[]) => KINDS.map(([kind, name]) => ({ name, data: buckets.map((bucket) => bucket[kind]) }));
  return (
    <Panel
      title="Lifecycle"
      result={result}
      lines={12}
      sheet={({ buckets }) => sheetOfSeries(buckets, seriesOf(buckets))}
      head={<UnitTabs />}
    >
      {({ buckets }) => {
        const lines = seriesOf(buckets);
        if (lines.every(({ data }) => data.every((count) => count === 0))) return <NothingHere />;
        return (
          <>
            <Legend names={lines.map(({ name }) => name)} />
            <Plot
              label="People by lifecycle state"
              kind="line"
              isOpenEnd={buckets.at(-1)?.partial === true}
              labels={buckets.map(bucketShort)}
              titles={buckets.map((bucket) => bucketLong(bucket, chosen.unit))}
              lines={lines}
              format={number}
            />
            <Remark>
              New: active for the first time. Returning: also active in the {chosen.unit} before. Resurrecting: active again after a pause. Dormant:
              active in the {chosen.unit} before, but not in this one.{" "}
              {buckets.at(-1)?.partial === true && `The last ${chosen.unit} is not over yet: ${DORMANT_REMARK} `}
              People counted without cookies are new every day.
            </Remark>
            <Rows buckets={buckets} unit={chosen.unit} />
          </>
        );
      }}
    </Panel>
  );
}

function Rows({ buckets, unit }: { readonly buckets: readonly ShownLifecycleBucket[]; readonly unit: "day" | "week" | "month" }) {
  return (
    <Grid
      label="People by lifecycle state"
      rows={[...buckets].reverse().slice(0, ROWS)}
      keyOf={({ start, local }) => start ?? local ?? ""}
      columns={[
        { name: UNIT_NAMES[unit], cell: (bucket) => <span title={bucketLong(bucket, unit)}>{bucketShort(bucket)}</span> },
        ...KINDS.map(([kind, name]) => ({
          name,
          isNumber: true,
          cell: (bucket: ShownLifecycleBucket) => <Num shown={number(bucket[kind])} />,
        })),
      ]}
    />
  );
}
