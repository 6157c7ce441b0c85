import type { RetentionAnswer } from "../../ask/answers.js";
import { bucketLong, bucketShort } from "../../format/date.js";
import { plural } from "../../format/locale.js";
import { number, percent } from "../../format/number.js";
import { Remark } from "../../parts/notice.js";
import { Num } from "../../parts/number.js";
import { NothingHere } from "../nothing-here.js";

type Period = RetentionAnswer["total"][number];

interface TriangleProps {
  readonly answer: RetentionAnswer;
  readonly unit: "day" | "week" | "month";
}

/** Steps of heat, from a share of 0 to one of all. */
const HEATS = 10;

/** A line for each cohort, a column for each period after. */
export function Triangle({ answer: { cohorts, total }, unit }: TriangleProps) {
  const shown = cohorts.filter(({ size }) => size > 0);
  if (shown.length === 0) return <NothingHere />;
  // Colours span what is there: otherwise shares of some percent would all look alike.
  const highest = Math.max(0.01, ...shown.flatMap(({ periods }) => periods.slice(1).map(({ rate }) => rate ?? 0)));
  const isOpen = shown.some(({ periods }) => periods.some(({ incomplete, entities }) => incomplete && entities !== null));
  return (
    <>
      <div class="scroll" tabIndex={0} role="group" aria-label="Cohorts">
        <table class="triangle">
          <thead>
            <tr>
              <th scope="col">Began</th>
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
              <th scope="row" title="Of the cohorts whose period is over">
                All
              </th>
              <td class="right">
                <Num shown={number(total[0]?.of ?? 0)} hook="people" />
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
      <Remark>{isOpen && `Hatched: the ${unit} is not over. `}People counted without cookies are new every day, and never come back.</Remark>
    </>
  );
}

function Cell({
  period: { rate, entities, of, incomplete },
  highest,
  isTotal = false,
}: {
  readonly period: Period;
  readonly highest: number;
  readonly isTotal?: boolean;
}) {
  if (rate === null || entities === null) return <td class="heat none" />;
  const heat = Math.min(HEATS - 1, Math.floor((rate / highest) * (HEATS - 0.01)));
  const isOpen = incomplete && !isTotal;
  const told = `${number(entities).exact} of ${plural(of, "person", "people", number(of).exact)}, ${percent(rate).exact}`;
  return (
    <td class={`heat h${heat}${isOpen ? " open" : ""}${entities === 0 ? " zero" : ""}`} title={isOpen ? `${told}, not over` : told}>
      <span class="num" aria-hidden="true">
        {percent(rate).short}
      </span>
      <span class="unseen">{isOpen ? `${told}, not over` : told}</span>
    </td>
  );
}
