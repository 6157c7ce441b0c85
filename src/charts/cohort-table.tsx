import { Num } from "./figures.js";
import { plural, type NamedBucket } from "./format.js";
import { useLook } from "./look.js";

interface CohortPeriod {
  readonly of: number;
  readonly entities: number | null;
  readonly rate: number | null;
  readonly incomplete: boolean;
}

export interface CohortRows {
  readonly cohorts: readonly { readonly bucket: NamedBucket; readonly size: number; readonly periods: readonly CohortPeriod[] }[];
  readonly total: readonly CohortPeriod[];
}

const HEAT_LEVELS = 10;

/** Whether a period that is shown is not over. */
export function hasOpenPeriod({ cohorts }: CohortRows): boolean {
  return cohorts.some(({ size, periods }) => size > 0 && periods.some(({ incomplete, entities }) => incomplete && entities !== null));
}

/** The cohorts that have members, with the share of each that came back. @param unit of the periods: day, week or month */
export function CohortTable({ answer: { cohorts, total }, unit }: { readonly answer: CohortRows; readonly unit: string }) {
  const { number, bucketLong, bucketShort } = useLook().formats;
  const shown = cohorts.filter(({ size }) => size > 0);
  // Colors span the actual range, so that small shares differ visibly.
  const highest = Math.max(0.01, ...shown.flatMap(({ periods }) => periods.slice(1).map(({ rate }) => rate ?? 0)));
  return (
    <div class="scroll" tabIndex={0} role="group" aria-label="Cohorts">
      <table class="triangle">
        <thead>
          <tr>
            <th scope="col">Cohort</th>
            <th scope="col" class="right">
              People
            </th>
            {total.slice(1).map((_, at) => (
              <th key={at} scope="col">{`${unit} ${at + 1}`}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          <tr class="triangle-total">
            <th scope="row" title="Only cohorts whose period is over">
              All
            </th>
            <td class="right">
              <Num shown={number(total[0]?.of ?? 0)} figure="people" />
            </td>
            {total.slice(1).map((period, at) => (
              <Cell key={at} period={period} highest={highest} isTotal />
            ))}
          </tr>
          {shown.map(({ bucket, size, periods }) => (
            <tr key={bucket.local}>
              <th scope="row" title={bucketLong(bucket, unit)}>
                {bucketShort(bucket)}
              </th>
              <td class="right">
                <Num shown={number(size)} />
              </td>
              {periods.slice(1).map((period, at) => (
                <Cell key={at} period={period} highest={highest} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface CellProps {
  readonly period: CohortPeriod;
  readonly highest: number;
  readonly isTotal?: boolean;
}

function Cell({ period: { rate, entities, of, incomplete }, highest, isTotal = false }: CellProps) {
  const { number, percent } = useLook().formats;
  if (rate === null || entities === null) return <td class="heat none" />;
  const heat = Math.min(HEAT_LEVELS - 1, Math.floor((rate / highest) * (HEAT_LEVELS - 0.01)));
  const isOpen = incomplete && !isTotal;
  const share = `${number(entities).exact} of ${plural(of, "person", "people", number(of).exact)}, ${percent(rate).exact}`;
  const description = isOpen ? `${share}, not over yet` : share;
  return (
    <td class={`heat h${heat}${isOpen ? " open" : ""}${entities === 0 ? " zero" : ""}`} title={description}>
      <span class="num" aria-hidden="true">
        {percent(rate).short}
      </span>
      <span class="unseen">{description}</span>
    </td>
  );
}
