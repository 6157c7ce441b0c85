import { inspect } from "node:util";
import { openDaybook, memoryStorage, type Daybook, type Storage } from "daybook";
import { createHandler, memoryTokens, tokenHash } from "daybook/http";
import { fileStorage } from "daybook/node";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../conformance/temporary-directory.js";

const TOKEN = "sk_planted_0123456789abcdef";
/** Every byte of a key that is made of it is this one. */
const KEY_BYTE = 0xa7;
const PERSON = "planted.person@example.org";

const random = (bytes: Uint8Array) => bytes.fill(KEY_BYTE);

/** Everything that a log, a debugger or a serializer could show of a value: hidden members and caught errors too. */
function printed(value: unknown): string {
  const options = { depth: Infinity, showHidden: true, maxArrayLength: Infinity, maxStringLength: Infinity, getters: true };
  let json: string | undefined;
  try {
    json = JSON.stringify(value);
  } catch (error) {
    json = String(error);
  }
  return `${inspect(value, options)}\n${json}\n${String(value)}\n${Object.entries(value as object).flat().map(String).join("\n")}`;
}

const inHex = KEY_BYTE.toString(16).repeat(8);
const asNumbers = new RegExp(`(${KEY_BYTE}\\W+){8}`);

async function filled(storage: Storage): Promise<Daybook> {
  const daybook = await openDaybook({ storage, random });
  await daybook.ingest([{ id: "e", name: "signup", userId: PERSON, createdAt: new Date(5), metadata: { card: PERSON } }]);
  await daybook.identify({ userId: PERSON, email: PERSON });
  await daybook.seal();
  return daybook;
}

async function refusal(asked: Promise<unknown>): Promise<unknown> {
  return await asked.then(
    () => {
      throw new Error("expected a refusal");
    },
    (error: unknown) => error,
  );
}

test.each([
  ["memory", () => Promise.resolve(memoryStorage())],
  ["files", async () => fileStorage(await temporaryDirectory())],
])("Nothing printable of a Daybook in %s holds a key, a token or what was stored.", async (_place, place) => {
  const storage = await place();
  const daybook = await filled(storage);
  const handler = createHandler({ organizations: { default: daybook }, tokens: memoryTokens([{ token: TOKEN, role: "owner", scopes: ["*"] }]) });
  const answer = await handler(new Request("http://localhost/v1/companies/top", { headers: { authorization: `Bearer ${TOKEN}` } }));
  expect(answer.status).toBe(200);
  const shown = [
    daybook,
    storage,
    handler,
    answer,
    daybook.privacyRequests,
    await daybook.stats(),
    daybook.countEvents,
    daybook.exportEvents(),
    await refusal(daybook.searchEvents({ cursor: "planted" })),
    await refusal(openDaybook({ storage, random })),
  ];
  await daybook.close();
  shown.push(daybook, await refusal(daybook.countEvents()));

  for (const value of shown) {
    const text = printed(value);
    for (const secret of [TOKEN, tokenHash(TOKEN), PERSON, inHex]) expect(text).not.toContain(secret);
    expect(text).not.toMatch(asNumbers);
    expect(text).not.toMatch(/cursorKey|suppressionKey/);
  }
});
