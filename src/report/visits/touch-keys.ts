import type { KeyGroups } from "../../answer/insights/combinations.js";
import { NOT_SET, NO_TOUCH } from "../../answer/visits/web-figures.js";
import type { TouchDimension } from "../../plan/plan.js";
import { labelNumbers } from "../../table/touches/touch-facts.js";
import type { RowContext } from "../form/report.js";
import type { VisitKeys } from "./keys-of-visits.js";

/** Who brought a visit, by the number of the label. */
export interface TouchKeys extends VisitKeys {
  /** What keys stand for in a dimension. */
  groupsBy(dimension: TouchDimension): KeyGroups;
}

/** The labels of events' own touches, as attribution shows them. */
export function touchKeysOf({ touches }: RowContext): TouchKeys {
  const { labels } = touches;
  return {
    columns: touches.reader().columns,
    areKept: (rows) => rows.kept(labels.name, []) !== null,
    keysOf: (rows, selected) => {
      const numbers = labelNumbers(rows, touches);
      return selected.map((row) => numbers[row] ?? 0);
    },
    groupsBy: (dimension) => {
      const numbers = new Map<string, number>();
      const texts: string[] = [];
      const numberOf = (text: string) => {
        let number = numbers.get(text);
        if (number === undefined) numbers.set(text, (number = texts.push(text) - 1));
        return number;
      };
      const textOf = (key: number) => (key === 0 ? NO_TOUCH[dimension] : (labels.labelOf(key)?.[dimension] ?? NOT_SET));
      return { groupsOf: (key) => [numberOf(textOf(key))], valuesOfGroup: (group) => [texts[group] ?? ""] };
    },
  };
}
