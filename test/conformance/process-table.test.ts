import { describe, expect, it } from "vitest";
import { ownerOf } from "../../src/platform/node/private-files.js";
import { type PidLookup, type ProcessIdentity, identityText, machineProcesses, processTable } from "../../src/platform/node/process-table.js";

const current: ProcessIdentity = { pid: 10, startTime: "100", bootId: "boot", pidNamespace: "1", host: "here" };
const other = { ...current, pid: 20, startTime: "200" };

const runs: PidLookup = () => ({ startTime: "200" });
const runsAsAnother: PidLookup = () => ({ startTime: "300" });
const cannotTell: PidLookup = () => ({ startTime: "" });
const hasEnded: PidLookup = () => null;

describe("the process table", () => {
  it.each([
    ["the process that it is asked for", runs, other, "running"],
    ["another host name: names change, and containers of one pid namespace have several", runs, { ...other, host: "elsewhere" }, "running"],
    ["a pid that nobody has", hasEnded, { ...other, host: "elsewhere" }, "ended"],
    ["a pid that a later process has", runsAsAnother, other, "ended"],
    ["another pid namespace of the same host name", hasEnded, { ...other, pidNamespace: "2" }, "unknown"],
    ["another boot, of this machine or of one with the same name", hasEnded, { ...other, bootId: "another" }, "unknown"],
    ["a process of which the machine tells no start", cannotTell, other, "unknown"],
  ])("judges %s", (_, look, process, expected) => {
    expect(processTable(current, look).stateOf(process)).toBe(expected);
  });

  it.each([
    ["a pid that nobody has", hasEnded, {}, "ended"],
    ["a pid that somebody has: it may be a later process", cannotTell, {}, "unknown"],
    ["another host name", hasEnded, { host: "elsewhere" }, "unknown"],
  ])("judges by the host name where a machine tells nothing else: %s", (_, look, change, expected) => {
    const plain = { startTime: "", bootId: "", pidNamespace: "" };
    expect(processTable({ ...current, ...plain }, look).stateOf({ ...other, ...plain, ...change })).toBe(expected);
  });

  it.each([
    ["of this host that runs", runs, {}, "running"],
    ["of this host that has ended", hasEnded, {}, "ended"],
    ["of another host", hasEnded, { host: "elsewhere" }, "unknown"],
    ["of another boot", hasEnded, { bootId: "another" }, "unknown"],
  ])("judges names without a namespace by the host name: a process %s", (_, look, change, expected) => {
    const { pid, startTime, bootId, host } = { ...other, ...change };
    const owner = ownerOf(`LOCK~${pid}~${startTime}~${bootId}~${host}~7`);
    expect(owner).toEqual({ pid, startTime, bootId, pidNamespace: "", host });
    expect(owner && processTable(current, look).stateOf(owner)).toBe(expected);
  });

  it("finds an identity in the name of a file again, and knows itself", () => {
    const processes = machineProcesses();
    const owner = ownerOf(`LOCK~${identityText(processes.current)}~1`);
    expect(owner).toEqual(processes.current);
    expect(owner && processes.stateOf(owner)).toBe("running");
    expect(ownerOf("LOCK~1~2~3")).toBeNull();
  });
});
