import { describe, expect, it } from "vitest";
import { DaybookError } from "../../src/core/base/errors.js";
import { acknowledge, expire, extend, newRequest, readPrivacyInput, readResolution, resolve, shownRequest, verify } from "../../src/engine/privacy/lifecycle.js";
import type { StoredRequest } from "../../src/engine/privacy/lifecycle.js";
import type { PrivacyResolution, PrivacyStatus, Regulation } from "../../src/engine/privacy/requests.js";

const DAY_MS = 86_400_000;
const AT_MS = Date.parse("2026-03-10T12:00:00.000Z");

function requested(regulation: Regulation = "gdpr", nowMs = AT_MS): StoredRequest {
  const input = readPrivacyInput({ type: "access", subject: { userId: "u1" }, regulation });
  return newRequest(input, { nowMs, id: "r1", identityId: null, holder: null });
}

/** A request in each status, an hour a step. */
const IN: Readonly<Record<PrivacyStatus, StoredRequest>> = {
  pending_verification: requested(),
  submitted: verify(requested(), AT_MS + 1),
  acknowledged: acknowledge(verify(requested(), AT_MS + 1), AT_MS + 2),
  resolved: resolve(requested(), "denied", AT_MS + 3),
};
const STATUSES = Object.keys(IN) as PrivacyStatus[];
const RESOLUTIONS: readonly PrivacyResolution[] = ["completed", "no_records_found", "partially_completed", "denied", "withdrawn"];

function refusalOf(run: () => unknown): DaybookError | null {
  try {
    run();
    return null;
  } catch (error) {
    if (error instanceof DaybookError) return error;
    throw error;
  }
}

function flawOf(input: unknown): [string, unknown] {
  const error = refusalOf(() => readPrivacyInput(input));
  return [error?.code ?? "taken", error?.details.param];
}

describe("the steps of a privacy request", () => {
  it("go from verification to resolution, each with its time", () => {
    const done = resolve(IN.acknowledged, "completed", AT_MS + 3);
    expect(shownRequest(done, AT_MS + 4)).toEqual({
      id: "r1",
      type: "access",
      status: "resolved",
      resolution: "completed",
      regulation: "gdpr",
      subject: { userId: "u1" },
      identityId: null,
      project: null,
      createdAt: "2026-03-10T12:00:00.000Z",
      verifiedAt: "2026-03-10T12:00:00.001Z",
      acknowledgedAt: "2026-03-10T12:00:00.002Z",
      resolvedAt: "2026-03-10T12:00:00.003Z",
      dueAt: "2026-04-10T12:00:00.000Z",
      extendedAt: null,
      overdue: false,
      receipt: null,
    });
  });

  it.each(STATUSES)("verify, acknowledge and extend leave %s only where they may", (status) => {
    const codes = [verify, acknowledge, extend].map((step) => refusalOf(() => step(IN[status], AT_MS + 5))?.code ?? "taken");
    const taken = { pending_verification: [true, false, true], submitted: [false, true, true], acknowledged: [false, false, true], resolved: [false, false, false] };
    expect(codes).toEqual(taken[status].map((isTaken) => (isTaken ? "taken" : "invalid_transition")));
  });

  it.each(STATUSES)("a request that is %s takes only the resolutions that may follow", (status) => {
    const taken = RESOLUTIONS.filter((resolution) => refusalOf(() => resolve(IN[status], resolution, AT_MS + 5)) === null);
    const early = ["denied", "withdrawn"];
    expect(taken).toEqual({ pending_verification: early, submitted: early, acknowledged: RESOLUTIONS, resolved: [] }[status]);
  });

  it("leave the record they start from as it was, and every other member alone", () => {
    const before = JSON.stringify(IN.submitted);
    const after = acknowledge(IN.submitted, AT_MS + 2);
    expect(JSON.stringify(IN.submitted)).toBe(before);
    expect({ ...after, status: "submitted", acknowledgedAtMs: null }).toEqual(IN.submitted);
    expect(JSON.parse(JSON.stringify(after))).toEqual(after);
  });

  it("are refused with the status and what is allowed", () => {
    const message = (run: () => unknown) => refusalOf(run)?.message;
    expect(message(() => acknowledge(IN.pending_verification, AT_MS))).toBe(
      "cannot acknowledge a request that is pending_verification under gdpr; allowed: verify, resolve as denied or withdrawn, extend",
    );
    expect(message(() => resolve(IN.submitted, "completed", AT_MS))).toContain("cannot resolve as completed a request that is submitted");
    expect(message(() => verify(IN.resolved, AT_MS))).toContain("no further step is possible");
    expect(message(() => extend(extend(IN.submitted, AT_MS), AT_MS))).toContain("submitted and was extended under gdpr; allowed: acknowledge, resolve");
  });
});

describe("a request that nobody verifies", () => {
  it("is withdrawn thirty days after it came, to the millisecond", () => {
    expect(expire(IN.pending_verification, AT_MS + 30 * DAY_MS - 1)).toBe(IN.pending_verification);
    const ended = expire(IN.pending_verification, AT_MS + 30 * DAY_MS);
    expect(ended).toMatchObject({ status: "resolved", resolution: "withdrawn", resolvedAtMs: AT_MS + 30 * DAY_MS });
    expect(expire(IN.pending_verification, AT_MS + 90 * DAY_MS)).toEqual(ended);
    expect(shownRequest(IN.pending_verification, AT_MS + 90 * DAY_MS)).toMatchObject({ status: "resolved", resolvedAt: "2026-04-09T12:00:00.000Z", overdue: false });
  });

  it("cannot be verified any more, and those that were stay", () => {
    expect(refusalOf(() => verify(IN.pending_verification, AT_MS + 30 * DAY_MS))?.code).toBe("invalid_transition");
    expect(expire(IN.submitted, AT_MS + 365 * DAY_MS)).toBe(IN.submitted);
  });
});

describe("the deadline", () => {
  const dueAt = (regulation: Regulation, from: string, isExtended = false) => {
    const request = requested(regulation, Date.parse(from));
    return shownRequest(isExtended ? extend(request, Date.parse(from) + 5 * DAY_MS) : request, Date.parse(from)).dueAt;
  };

  it.each([
    ["2026-01-31T23:59:59.999Z", "2026-02-28T23:59:59.999Z", "2026-04-30T23:59:59.999Z"],
    ["2028-01-31T00:00:00.000Z", "2028-02-29T00:00:00.000Z", "2028-04-30T00:00:00.000Z"],
    ["2026-11-30T08:00:00.000Z", "2026-12-30T08:00:00.000Z", "2027-02-28T08:00:00.000Z"],
    ["2026-12-15T08:00:00.000Z", "2027-01-15T08:00:00.000Z", "2027-03-15T08:00:00.000Z"],
  ])("of gdpr, received %s, is %s, extended %s", (from, due, extended) => {
    expect([dueAt("gdpr", from), dueAt("gdpr", from, true)]).toEqual([due, extended]);
  });

  it("of ccpa is 45 days, extended 90, of lgpd 15 and of others 30", () => {
    const from = "2026-03-01T06:00:00.000Z";
    const days = (text: string) => (Date.parse(text) - Date.parse(from)) / DAY_MS;
    expect([days(dueAt("ccpa", from)), days(dueAt("ccpa", from, true)), days(dueAt("lgpd", from)), days(dueAt("other", from))]).toEqual([45, 90, 15, 30]);
  });

  it.each(["lgpd", "other"] as const)("of %s cannot be moved", (regulation) => {
    expect(refusalOf(() => extend(requested(regulation), AT_MS))).toMatchObject({ code: "invalid_transition" });
  });

  it("can be moved once", () => {
    const extended = extend(IN.acknowledged, AT_MS + 9);
    expect(shownRequest(extended, AT_MS).extendedAt).toBe("2026-03-10T12:00:00.009Z");
    expect(refusalOf(() => extend(extended, AT_MS + 10))?.code).toBe("invalid_transition");
  });

  it("passes after its last millisecond, unless the request is resolved", () => {
    const dueMs = Date.parse("2026-04-10T12:00:00.000Z");
    const overdue = (request: StoredRequest, nowMs: number) => shownRequest(request, nowMs).overdue;
    expect([overdue(IN.acknowledged, dueMs), overdue(IN.acknowledged, dueMs + 1)]).toEqual([false, true]);
    expect(overdue(IN.resolved, dueMs + 1)).toBe(false);
    expect(overdue(extend(IN.acknowledged, AT_MS), dueMs + 1)).toBe(false);
  });
});

describe("the input of a privacy request", () => {
  it("is taken with its defaults, null being absent and an email normalised", () => {
    const input = { type: "erasure", subject: { email: "  Ann@Example.ORG ", userId: null }, regulation: null, project: null };
    expect(readPrivacyInput(input)).toEqual({ type: "erasure", subject: { email: "ann@example.org" }, regulation: "gdpr" });
    expect(readPrivacyInput({ type: "opt_out", subject: { email: "", userId: " u1" }, regulation: "ccpa" })).toEqual({
      type: "opt_out",
      subject: { userId: " u1" },
      regulation: "ccpa",
    });
  });

  it.each([
    [{ type: "access", subject: {} }, "exactly_one_required", "subject"],
    [{ type: "access", subject: { email: "", userId: "" } }, "exactly_one_required", "subject"],
    [{ type: "access", subject: { email: " " } }, "exactly_one_required", "subject"],
    [{ type: "access", subject: { email: "a@b.c", userId: "u" } }, "exactly_one_required", "subject"],
    [{ type: "access" }, "invalid_parameter", "subject"],
    [{ type: "access", subject: "u1" }, "invalid_parameter", "subject"],
    [{ type: "access", subject: { userId: 5 } }, "invalid_parameter", "subject.userId"],
    [{ type: "access", subject: { userId: "\ud800" } }, "invalid_parameter", "subject.userId"],
    [{ type: "access", subject: { userId: "u".repeat(8_193) } }, "invalid_parameter", "subject.userId"],
    [{ type: "access", subject: { erased: true } }, "unknown_parameter", "subject.erased"],
    [{ subject: { erased: true } }, "unknown_parameter", "subject.erased"],
    [{ subject: { userId: "u" } }, "invalid_parameter", "type"],
    [{ type: "delete", subject: { userId: "u" } }, "invalid_parameter", "type"],
    [{ type: "access", subject: { userId: "u" }, regulation: "GDPR" }, "invalid_parameter", "regulation"],
    [{ type: "access", subject: { userId: "u" }, project: "shop" }, "unknown_parameter", "project"],
    [{ type: "access", subject: { userId: "u" }, status: "resolved" }, "unknown_parameter", "status"],
    [[], "invalid_parameter", "input"],
    [null, "invalid_parameter", "type"],
  ])("%j is refused as %s at %s", (input, code, param) => {
    expect(flawOf(input)).toEqual([code, param]);
  });

  it("takes the five resolutions and no other", () => {
    expect(RESOLUTIONS.map(readResolution)).toEqual(RESOLUTIONS);
    for (const other of ["done", "", null, undefined, 5]) expect(refusalOf(() => readResolution(other))?.details.param).toBe("resolution");
  });
});
