import { writeHeapSnapshot } from "node:v8";
import { fixedClock } from "../../../src/core/base/time.js";
import { createHandler, loadUserAgentParser, loadBotTest, memoryTokens } from "../../../src/http/index.js";
import { openDaybook } from "../../../src/index.js";
import { fileStorage, listen, saltFile } from "../../../src/platform/node/index.js";

// A server whose clock its parent sets, and which writes down all that it has in memory.
const [, , directory = ""] = process.argv;
const clock = fixedClock(Date.parse("2026-03-10T12:00:00.000Z"));
const daybook = await openDaybook({ storage: fileStorage(directory), clock });
const handler = createHandler({
  organizations: { default: daybook },
  tokens: memoryTokens([
    { token: "sk_owner_0123456789abcdefgh", role: "owner", scopes: ["*"] },
    { token: "pk_site", project: "site", public: { origins: ["*"] } },
  ]),
  clock,
  parseUserAgent: await loadUserAgentParser(),
  collect: { isBot: await loadBotTest(), salts: saltFile(`${directory}/visitor-salts`), perAddressBurst: 5 },
  onAnswer: (answered) => void process.stdout.write(`${JSON.stringify(answered)}\n`),
});
const server = await listen(handler);
process.on("message", (message: { readonly nowMs?: number; readonly snapshot?: string; readonly end?: true }) => {
  if (message.nowMs !== undefined) clock.set(message.nowMs);
  if (message.snapshot !== undefined) writeHeapSnapshot(message.snapshot);
  if (message.end === true) void server.close().then(() => daybook.close()).then(() => process.disconnect());
  else process.send?.("done");
});
process.send?.(server.port);
