import { expect, test } from "vitest";
import { PathCounts } from "../../../src/query/answer/paths/path-counts.js";
import { pathsAnswer } from "../../../src/query/answer/paths/paths-answer.js";
import { Scratch } from "../../../src/core/base/scratch.js";

const SESSION_COUNT = 60_000;
const MOST_NODES_BETWEEN = 20_000;

test("Of many ways through sessions others have a turn while there is made room for them, and while they are put in order.", () => Scratch.of(async (scratch) => {
  const tree = new PathCounts({ startAt: null, endAt: null, collapse: false, maxDepth: 2 }, scratch);
  let turnCount = 0;
  const pause = () => {
    turnCount += 1;
    return Promise.resolve();
  };
  for (let session = 0; session < SESSION_COUNT; session += 1) {
    if (session % 1_000 === 0) await tree.reserve(1_000, pause);
    tree.add(Uint32Array.of(session, session + 1), 0, 2);
  }
  const nodeCount = 2 * SESSION_COUNT;
  expect(tree.end - 1).toBe(nodeCount);
  // Room is doubled: by then each node was copied about once, and put in its slot as often.
  expect(turnCount).toBeGreaterThan((2 * nodeCount) / MOST_NODES_BETWEEN);
  turnCount = 0;
  const answer = await pathsAnswer(tree, { textOf: String, limit: 2, pause });
  // Nodes twice, for steps and for sequences; what stands at each step; and edges.
  expect(turnCount).toBeGreaterThan((3 * nodeCount + SESSION_COUNT) / MOST_NODES_BETWEEN - 4);
  expect(answer).toEqual({
    sessions: SESSION_COUNT,
    nodes: [[1, "0", 0], [1, "1", 0], [2, "1", 1], [2, "10", 1]].map(([step, value, ends]) => ({ step, value, sessions: 1, entries: step === 1 ? 1 : 0, dropOffs: ends })),
    edges: [["0", "1"], ["1", "2"]].map(([from, to]) => ({ step: 1, from, to, sessions: 1 })),
    sequences: [["0", "1"], ["1", "2"]].map((values) => ({ values, sessions: 1 })),
  });
}));
