import { DaybookError } from "../../../src/core/base/errors.js";
import type { Daybook } from "../../../src/engine/daybook.js";
import type { EventInput } from "../../../src/core/schema/event.js";
import type { History, HistoryItem } from "../oracle/history.js";

type ArrivalMethods = Pick<Daybook, "ingest" | "identify" | "group" | "alias" | "unlink">;

/** Hands a history to a Daybook in its order; events in a row are one batch. Records that it must refuse are left out. */
export async function arrive(daybook: ArrivalMethods, history: History): Promise<void> {
  let batch: EventInput[] = [];
  const ingest = async () => {
    if (batch.length > 0) await daybook.ingest(batch);
    batch = [];
  };
  for (const item of history) {
    if (isEvent(item)) batch.push(item);
    else {
      await ingest();
      await tell(daybook, item);
    }
  }
  await ingest();
}

function isEvent(item: HistoryItem): item is EventInput {
  return !("identify" in item || "group" in item || "alias" in item || "unlink" in item);
}

async function tell(daybook: ArrivalMethods, item: Exclude<HistoryItem, EventInput>): Promise<void> {
  try {
    if ("identify" in item) await daybook.identify(item.identify);
    else if ("group" in item) await daybook.group(item.group);
    else if ("alias" in item) await daybook.alias(item.alias);
    else await daybook.unlink(item.unlink);
  } catch (error) {
    if (!(error instanceof DaybookError) || error.code !== "invalid_parameter") throw error;
  }
}
