import { usePage } from "../../parts/page-context.js";
import { Tabs } from "../../parts/table.js";
import { choose } from "../../state/view-state.js";

const UNITS = [
  ["day", "Days"],
  ["week", "Weeks"],
  ["month", "Months"],
] as const;

/** A choice of the unit of periods. */
export function UnitTabs() {
  const { viewState, go } = usePage();
  const { unit } = viewState.choices.retention;
  return <Tabs label="Periods" names={UNITS} chosen={unit} onChoose={(chosen) => go(choose(viewState, "retention", { unit: chosen }))} />;
}
