import type { StopOptions } from "../../base/stop-options.js";
import type { QuestionNotice } from "./notices.js";

export interface QueryOptions extends StopOptions {
  /** Called for this question as `onNotice` of `openDaybook` is, which is called too. */
  readonly onNotice?: (notice: QuestionNotice) => unknown;
}
