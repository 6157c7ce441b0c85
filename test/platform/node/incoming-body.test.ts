import type { IncomingMessage } from "node:http";
import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { IncomingBody } from "../../../src/platform/node/socket-request.js";

test.each([10, 5, 3])("A body that ends is read, also where another length than its own was declared: %d", async (declared) => {
  // As a server around may hand a request on that it has changed.
  const incoming = Object.assign(new PassThrough(), { headers: { "content-length": String(declared) }, complete: false });
  const body = new IncomingBody(incoming as unknown as IncomingMessage);
  const reading = body.read(1_000, () => undefined);
  incoming.end("12345");
  expect(Buffer.from(await reading).toString()).toBe("12345");
});
