import { EventEmitter } from "node:events";
import type { ServerResponse } from "node:http";
import { expect, test } from "vitest";
import { UnreadAnswers } from "../../../src/platform/node/streams.js";

class Answer extends EventEmitter {
  readonly req = { socket: new EventEmitter() };
  writableLength = 0;
  isCut = false;

  destroy(): void {
    this.isCut = true;
    this.emit("close");
  }
}

test("The answers that wait longest are cut, and a stream whose caller took all of it waits from its next piece on.", () => {
  const unread = new UnreadAnswers(100);
  const [stream, first, second, third] = [new Answer(), new Answer(), new Answer(), new Answer()];
  const write = (answer: Answer, byteLength: number) => {
    answer.writableLength += byteLength;
    unread.written(answer as unknown as ServerResponse);
  };
  write(stream, 40);
  stream.writableLength = 0;
  write(first, 50);
  write(second, 40);
  expect([stream, first, second].map(({ isCut }) => isCut)).toEqual([false, false, false]);
  write(stream, 30);
  expect([stream, first, second].map(({ isCut }) => isCut)).toEqual([false, true, false]);
  write(third, 500);
  expect([stream, second, third].map(({ isCut }) => isCut)).toEqual([true, true, false]);
});

test("An answer whose connection closes counts no longer, although it gets no event of its own behind answers of other code.", () => {
  const unread = new UnreadAnswers(100);
  const [left, first, second] = [new Answer(), new Answer(), new Answer()];
  for (const answer of [left, first]) answer.writableLength = 50;
  unread.written(left as unknown as ServerResponse);
  left.req.socket.emit("close");
  unread.written(first as unknown as ServerResponse);
  second.writableLength = 50;
  unread.written(second as unknown as ServerResponse);
  expect([left, first, second].map(({ isCut }) => isCut)).toEqual([false, false, false]);
  first.emit("close");
  expect(first.req.socket.listenerCount("close")).toBe(0);
});
