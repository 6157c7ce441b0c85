import { range } from "../format/date.js";
import { Empty } from "../parts/notice.js";
import { ViewLink } from "../parts/link.js";
import { usePage } from "../parts/page-context.js";

/** Explains that no event lies in the period or matches the filters, and where there are some. */
export function NothingHere() {
  const { picture, scope, extent } = usePage();
  const isOutside = extent !== null && ((scope.from !== null && scope.from > extent.to) || (scope.to !== null && scope.to < extent.from));
  return (
    <Empty title={picture.filters.length > 0 && !isOutside ? "No events match these filters" : "No events in this period"}>
      {extent !== null && isOutside && <p>This project has events from {range(extent)}.</p>}
      <p class="row center">
        {picture.filters.length > 0 && (
          <ViewLink to={{ ...picture, filters: [] }} class="button">
            Clear filters
          </ViewLink>
        )}
        {extent !== null && (
          <ViewLink to={{ ...picture, period: "all" }} class="button">
            All time
          </ViewLink>
        )}
      </p>
    </Empty>
  );
}
