import type { PathsAnswer } from "../../ask/answers.js";
import { number, percent } from "../../format/number.js";
import { fieldValue } from "../../format/value.js";
import { Num } from "../../parts/number.js";
import { Grid } from "../../parts/table.js";

const SHOWN_ROWS = 15;

/** Whole ways, the most frequent first. */
export function Sequences({ answer: { sequences, sessions }, field }: { readonly answer: PathsAnswer; readonly field: string }) {
  if (sequences.length === 0) return <p class="nothing">None</p>;
  return (
    <Grid
      label="Ways"
      rows={sequences.slice(0, SHOWN_ROWS)}
      keyOf={({ values }) => JSON.stringify(values)}
      columns={[
        {
          name: "Way",
          cell: ({ values }) => (
            <span class="way">
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
