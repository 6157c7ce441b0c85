import { expect, test } from "vitest";
import { fixedClock } from "../../../src/core/base/time.js";
import { createHandler, memoryTokens } from "../../../src/http/index.js";
import { memoryStorage, openDaybook } from "../../../src/index.js";

const KNOWN = "sk_clients_0123456789abc";

test("A known key in a header is taken from an address that sent too many unknown ones.", async () => {
  const daybook = await openDaybook({ storage: memoryStorage() });
  const handler = createHandler({
    organizations: { default: daybook },
    tokens: memoryTokens([{ token: KNOWN, role: "owner", scopes: ["*"], project: "shop" }]),
    clock: fixedClock(1_800_000_000_000),
    limits: { failedTokenCount: 2, failedTokensPerMinute: 1 },
    address: () => "198.51.100.7",
  });
  const statuses = [];
  for (const key of ["sk_a_0123456789abcdefgh", "sk_b_0123456789abcdefgh", "sk_c_0123456789abcdefgh", KNOWN, "sk_c_0123456789abcdefgh"]) {
    const init = { method: "POST", headers: { "openpanel-client-secret": key, "content-type": "application/json" }, body: '{"type":"track","payload":{"name":"a"}}' };
    statuses.push((await handler(new Request("http://daybook.test/track", init))).status);
  }
  expect(statuses).toEqual([401, 401, 429, 200, 429]);
  handler.stop();
  await daybook.close();
});
