// A store in files whose segments are made on a thread, answering over HTTP on another: as a program of whoever uses the package.
import { DaybookError, openDaybook } from "daybook";
import type { Daybook, DaybookOptions, EventInput, IngestResult } from "daybook";
import { createHandler, memoryTokens } from "daybook/http";
import type { TokenEntry } from "daybook/http";
import { fileStorage, listenOnWorker, backgroundSealing } from "daybook/node";
import type { BackgroundSealing } from "daybook/node";

const OWNER: TokenEntry = { token: "sk_of_the_package_0123456789abcdefgh", role: "owner", scopes: ["*"] };
const EVENT_COUNT = 5_000;

/** Says of each segment whether the thread made it. */
function told(thread: BackgroundSealing): NonNullable<DaybookOptions["sealWorker"]> {
  return {
    async make(...asked) {
      const made = await thread.make(...asked);
      console.log(made === null ? "sealed here" : "sealed on a thread");
      return made;
    },
  };
}

async function main(directory: string): Promise<void> {
  const thread = backgroundSealing();
  const daybook: Daybook = await openDaybook({ storage: fileStorage(directory), sealWorker: told(thread) });
  const events: EventInput[] = Array.from({ length: EVENT_COUNT }, (_, at) => ({ id: `${at}`, name: "signup", createdAt: "2026-03-01T08:55:00Z", metadata: { plan: `p${at % 7}` } }));
  const { accepted }: IngestResult = await daybook.ingest(events);
  await daybook.seal();
  const matching = await daybook.countEvents({ filterGroups: [{ filters: [{ fieldName: "metadata.plan", operator: "regex", value: "^p[0-3]$" }] }] });
  const code: string = await daybook.countEvents({ startDate: "soon" }).then(String, (error: unknown) => (error instanceof DaybookError ? error.code : "another error"));
  console.log(`${accepted} stored, ${matching} match, ${code}`);
  const handler = createHandler({ organizations: { default: daybook }, tokens: memoryTokens([OWNER]) });
  const server = await listenOnWorker(handler);
  console.log(`listening on ${server.url}`);
  process.once("SIGTERM", () => void server.close().then(() => Promise.all([daybook.close(), thread.close()])));
}

void main(process.argv[2] ?? "data");
