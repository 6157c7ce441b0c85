import { connect } from "node:net";
import { expect, it } from "vitest";
import { listen } from "../../src/node/listen.js";
import { handlerOf, stubDaybook } from "./kit.js";

const slow = async (bytes: string) => {
  const server = await listen(handlerOf(stubDaybook()));
  const beforeMs = Date.now();
  const text = await new Promise<string>((resolve, reject) => {
    let received = "";
    const socket = connect(server.port, "127.0.0.1", () => socket.write(bytes));
    socket.on("data", (chunk) => (received += chunk.toString("latin1")));
    socket.on("close", () => resolve(received)).on("error", reject);
  });
  await server.close();
  return { text, waitedMs: Date.now() - beforeMs };
};

it("headers that do not end within 10 seconds are answered with 408", async () => {
  const { text, waitedMs } = await slow("GET /healthz HTTP/1.1\r\nHost: x\r\n");
  expect(text).toMatch(/^HTTP\/1\.1 408 [^]*"code":"aborted"/);
  expect(waitedMs).toBeGreaterThanOrEqual(9_000);
  expect(waitedMs).toBeLessThan(15_000);
});

it("a body that does not end within 30 seconds is answered with 408", async () => {
  const head = "POST /analytics/count-events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer sk_owner\r\nContent-Length: 9\r\n\r\n{";
  const { text, waitedMs } = await slow(head);
  expect(text).toMatch(/^HTTP\/1\.1 408 /);
  expect(waitedMs).toBeGreaterThanOrEqual(29_000);
  expect(waitedMs).toBeLessThan(35_000);
});
