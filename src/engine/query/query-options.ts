import type { StopOptions } from "../../core/base/stop-options.js";
import type { QueryNotice } from "./notices.js";

export interface QueryOptions extends StopOptions {
  /** Called for this query, like `onNotice` of `openDaybook`, which is called too. */
  readonly onNotice?: (notice: QueryNotice) => unknown;
}
