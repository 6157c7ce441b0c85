import type { TrendBucket } from "../ask/answers.js";
import { Remark } from "../parts/notice.js";
import { usePage } from "../parts/page-context.js";

interface TimeRemarksProps {
  readonly buckets: readonly TrendBucket[];
  /** Whether the figures count people. */
  readonly areUniques: boolean;
  /** Whether the earlier period is drawn too. */
  readonly hasEarlier: boolean;
}

/** Remarks on figures over time: always one line, so that the layout does not shift. */
export function TimeRemarks({ buckets, areUniques, hasEarlier }: TimeRemarksProps) {
  const { scope, picture } = usePage();
  const remarks: string[] = [];
  if (hasEarlier) remarks.push(`Dashed grey line: ${picture.compare === "year" ? "a year ago" : "the previous period"}.`);
  const [first, last] = [buckets[0], buckets.at(-1)];
  if (last?.partial === true) remarks.push(`The last ${scope.unit} is incomplete: not over yet, or cut off by the period.`);
  if (first !== last && first?.partial === true) remarks.push(`The first ${scope.unit} is incomplete: cut off by the period.`);
  if (scope.compare !== null && scope.to === scope.today && picture.compare !== "none")
    remarks.push("Changes are relative to whole days, but today is not over yet.");
  if (areUniques && scope.from !== scope.to)
    remarks.push("Visitors counted without cookies are new every day: over several days, they are the sum of the daily counts.");
  return <Remark>{remarks.join(" ")}</Remark>;
}
