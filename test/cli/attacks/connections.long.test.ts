import { connect } from "node:net";
import type { Socket } from "node:net";
import { expect, test } from "vitest";
import { attacked, WAYS, whileOthersAsk } from "./attacked.js";

const ATTACK_MS = 8_000;

function dial(port: number): Socket {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => undefined);
  return socket;
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

test.each(WAYS)("A thousand connections that send sixteen requests ahead and read nothing cost next to nothing, %s.", async (_, options) => {
  const server = await attacked(options);
  const requests = "GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n".repeat(16);
  const met = await whileOthersAsk(server, 128 * 2 ** 20, async () => {
    const sockets = Array.from({ length: 1_000 }, () => {
      const socket = dial(server.port);
      socket.pause();
      socket.write(requests);
      return socket;
    });
    await pause(ATTACK_MS);
    sockets.forEach((socket) => socket.destroy());
  });
  expect(new Set(met.health)).toEqual(new Set([200]));
  expect(met.isMuchMore).toBe(false);
});

test.each(WAYS)("As many silent connections as there may be, opened again and again, keep nobody out, %s.", async (_, options) => {
  const server = await attacked(options);
  const met = await whileOthersAsk(server, 128 * 2 ** 20, async () => {
    const sockets: Socket[] = [];
    const endMs = performance.now() + ATTACK_MS;
    while (performance.now() < endMs) {
      while (sockets.filter(({ destroyed }) => !destroyed).length < 1_024) sockets.push(dial(server.port));
      await pause(50);
    }
    sockets.forEach((socket) => socket.destroy());
  });
  expect(new Set([...met.health, ...met.counted, ...met.stored])).toEqual(new Set([200]));
});
