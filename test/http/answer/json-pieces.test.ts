import fc from "fast-check";
import { expect, test } from "vitest";
import { jsonBody, jsonPieces } from "../../../src/http/answer/json-pieces.js";
import { isStream } from "../../../src/http/wire/request-reply.js";
import { baseSeed } from "../../oracle/settings.js";

/** Long enough to be made in pieces. */
const items = Array.from({ length: 40_000 }, (_, at) => ({ property: `https://shop.example/${at}`, count: at, none: undefined, more: [at, null, undefined] }));

test("A long answer is in pieces what JSON.stringify makes of it: members that are undefined are left out, and elements are null.", () => {
  const answer = { answer: { items, missing: undefined, empty: [], none: {} }, notices: [] };
  const pieces = [...jsonPieces(answer)];
  expect(pieces.length).toBeGreaterThan(10);
  expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(128 * 1024);
  expect(pieces.join("")).toBe(JSON.stringify(answer));
});

test("So is any plain value, also inside of long ones.", () => {
  const value = fc.jsonValue({ maxDepth: 4 });
  fc.assert(
    fc.property(value, value, (one, other) => {
      const long = [one, { one, items: Array.from({ length: 900 }, () => [one, other]), other }, other];
      expect([...jsonPieces(long)].join("")).toBe(JSON.stringify(long));
    }),
    { seed: baseSeed, numRuns: 60 },
  );
});

test("A short answer is a text; a long one is a stream, and what was begun ends once: at its end, or when nobody reads on.", async () => {
  let endCount = 0;
  const body = (value: unknown) => jsonBody(value, () => (endCount += 1));
  expect(await body({ count: 1 })).toBe('{"count":1}');
  const whole = await body(items);
  if (!isStream(whole)) throw new Error("expected a stream");
  let text = "";
  for (let piece = await whole.next(); piece !== null; piece = await whole.next()) text += piece;
  expect(text).toBe(JSON.stringify(items));
  whole.cancel();
  expect(endCount).toBe(1);
  const left = await body(items);
  if (!isStream(left)) throw new Error("expected a stream");
  await left.next();
  left.cancel();
  left.cancel();
  expect(endCount).toBe(2);
  // What is not whole must not end as if it were.
  await expect(left.next()).rejects.toThrow("the caller disconnected");
});

test("What cannot be written ends, and is no end of the answer.", async () => {
  let endCount = 0;
  const flawed = { toJSON: () => { throw new Error("no text of it"); } };
  const body = await jsonBody([...items, flawed], () => (endCount += 1));
  if (!isStream(body)) throw new Error("expected a stream");
  const readAll = async () => {
    for (let piece = await body.next(); piece !== null; piece = await body.next());
  };
  await expect(readAll()).rejects.toThrow("no text of it");
  expect(endCount).toBe(1);
});

test("Whether an answer is long is seen by its first members: others are not listed.", async () => {
  let lookCount = 0;
  const many = new Proxy(Array.from({ length: 300_000 }, (_, at) => at), {
    get: (list, name, receiver) => {
      lookCount += 1;
      return Reflect.get(list, name, receiver) as unknown;
    },
    ownKeys: () => {
      throw new Error("all are listed");
    },
  });
  const body = await jsonBody(many, () => undefined);
  if (!isStream(body)) throw new Error("expected a stream");
  expect(lookCount).toBeLessThan(300_000 * 2);
  body.cancel();
});
