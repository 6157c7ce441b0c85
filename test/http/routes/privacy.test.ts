import { describe, expect, it } from "vitest";
import { DaybookError } from "../../../src/core/base/errors.js";
import type { PrivacyRequests } from "../../../src/engine/privacy/requests.js";
import { codeOf, get, handlerOf, PRIVACY_REQUEST, send, stubDaybook } from "../kit.js";

const PATH = "/v1/privacy-requests";
const create = { type: "access", subject: { user_id: "u1" } };

/** A stub whose privacy requests fail. */
function failing(method: keyof PrivacyRequests, thrown: DaybookError) {
  const daybook = stubDaybook();
  const failingMethod = () => Promise.reject(thrown);
  return stubDaybook({ privacyRequests: { ...daybook.privacyRequests, [method]: failingMethod } });
}

describe("privacy requests", () => {
  it("are listed, every member in the names of the wire", async () => {
    const sent = await get(handlerOf(stubDaybook()), PATH);
    expect(sent.status).toBe(200);
    expect(sent.headers.get("etag")).not.toBeNull();
    expect(sent.json).toEqual({
      privacy_requests: [
        {
          id: PRIVACY_REQUEST.id,
          type: "erasure",
          status: "resolved",
          resolution: "completed",
          regulation: "gdpr",
          subject: { user_id: "u1" },
          identity_id: "idn_1",
          project: null,
          created_at: "2026-03-01T00:00:00.000Z",
          verified_at: "2026-03-02T00:00:00.000Z",
          acknowledged_at: "2026-03-03T00:00:00.000Z",
          resolved_at: "2026-03-04T00:00:00.000Z",
          due_at: "2026-06-01T00:00:00.000Z",
          extended_at: "2026-03-03T12:00:00.000Z",
          overdue: false,
          receipt: {
            erased_at: "2026-03-04T00:00:00.000Z",
            events: 1,
            identify_calls: 2,
            group_calls: 3,
            alias_calls: 4,
            user_ids: 5,
            anonymous_ids: 6,
            emails: 7,
            dictionary_values: 8,
            segments_rewritten: 9,
          },
        },
      ],
    });
  });

  it("are taken in with 201 and what was given", async () => {
    const daybook = stubDaybook();
    const body = { type: "erasure", subject: { email: "a@b.c", user_id: null }, regulation: "ccpa" };
    const sent = await send(handlerOf(daybook), PATH, { body });
    expect([sent.status, sent.json["id"], sent.headers.get("cache-control")]).toEqual([201, PRIVACY_REQUEST.id, "no-store"]);
    await send(handlerOf(daybook), PATH, { body: create });
    expect(daybook.asked).toEqual([
      { method: "create", input: { type: "erasure", subject: { email: "a@b.c", userId: null }, regulation: "ccpa" } },
      { method: "create", input: { type: "access", subject: { email: null, userId: "u1" }, regulation: null } },
    ]);
  });

  it.each(["verify", "acknowledge", "extend"])("go on with %s, with an empty object or no body", async (step) => {
    const daybook = stubDaybook();
    for (const options of [{}, { body: {} }]) {
      const sent = await send(handlerOf(daybook), `${PATH}/r%2F1/${step}`, options);
      expect([sent.status, sent.json["due_at"]]).toEqual([200, PRIVACY_REQUEST.dueAt]);
    }
    expect(daybook.asked).toEqual([{ method: step, input: "r/1" }, { method: step, input: "r/1" }]);
    expect((await get(handlerOf(daybook), `${PATH}/r1/${step}`)).headers.get("allow")).toBe("POST");
    expect(codeOf(await send(handlerOf(daybook), `${PATH}/r1/${step}`, { body: { resolution: "denied" } }))).toBe("unknown_parameter");
  });

  it("end with a resolution", async () => {
    const daybook = stubDaybook();
    const sent = await send(handlerOf(daybook), `${PATH}/r1/resolve`, { body: { resolution: "partially_completed" } });
    expect(sent.status).toBe(200);
    expect(daybook.asked).toEqual([{ method: "resolve", input: ["r1", "partially_completed"] }]);
  });

  it.each([
    [PATH, {}, "invalid_parameter", "type"],
    [PATH, { type: "access" }, "invalid_parameter", "subject"],
    [PATH, { ...create, type: "delete" }, "invalid_parameter", "type"],
    [PATH, { ...create, subject: "u1" }, "invalid_parameter", "subject"],
    [PATH, { ...create, subject: { user_id: 5 } }, "invalid_parameter", "subject.user_id"],
    [PATH, { ...create, subject: { userId: "u1" } }, "unknown_parameter", "subject.userId"],
    [PATH, { ...create, regulation: "GDPR" }, "invalid_parameter", "regulation"],
    [PATH, { ...create, status: "resolved" }, "unknown_parameter", "status"],
    [PATH, { kind: "access" }, "unknown_parameter", "kind"],
    [PATH, { subject: { mail: "a@example.com" } }, "unknown_parameter", "subject.mail"],
    [`${PATH}/r1/resolve`, {}, "invalid_parameter", "resolution"],
    [`${PATH}/r1/resolve`, { resolution: "done" }, "invalid_parameter", "resolution"],
    [`${PATH}?status=resolved`, create, "unknown_parameter", "status"],
  ])("%s with %j is refused", async (path, body, code, param) => {
    const daybook = stubDaybook();
    const sent = await send(handlerOf(daybook), path, { body });
    expect([sent.status, codeOf(sent), sent.json["param"]]).toEqual([400, code, param]);
    expect(daybook.asked).toEqual([]);
  });

  it("name what the library refuses as the wire does", async () => {
    const both = new DaybookError("exactly_one_required", "subject: expected exactly one of email and userId, got both", { param: "subject" });
    const sent = await send(handlerOf(failing("create", both)), PATH, { body: create });
    expect([sent.status, sent.json["detail"]]).toEqual([400, "subject: expected exactly one of email and user_id, got both"]);
    for (const step of ["verify", "acknowledge", "extend", "resolve"] as const) {
      const body = step === "resolve" ? { resolution: "denied" } : {};
      const refused = await send(handlerOf(failing(step, new DaybookError("invalid_transition", "not now"))), `${PATH}/r1/${step}`, { body });
      expect([refused.status, codeOf(refused)]).toEqual([409, "invalid_transition"]);
      const unknown = await send(handlerOf(failing(step, new DaybookError("privacy_request_not_found", "none"))), `${PATH}/r1/${step}`, { body });
      expect([unknown.status, codeOf(unknown)]).toEqual([404, "privacy_request_not_found"]);
    }
  });
});

describe("the bundle of a privacy request", () => {
  it("comes as lines, and is kept by nobody on the way", async () => {
    const daybook = stubDaybook();
    const sent = await get(handlerOf(daybook), `${PATH}/r1/bundle`);
    expect([sent.status, sent.text]).toEqual([200, '{"kind":"identity"}\n{"kind":"event"}\n']);
    expect(sent.headers.get("content-type")).toBe("application/x-ndjson; charset=utf-8");
    expect(sent.headers.get("cache-control")).toBe("no-store");
    expect(daybook.asked).toEqual([{ method: "bundle", input: "r1" }]);
  });

  it("of many lines is whole, in its order and in UTF-8", async () => {
    const lines = Array.from({ length: 5_000 }, (_, at) => `{"line":${at},"text":"${"ü€😀".repeat(20)}"}\n`);
    const daybook = stubDaybook();
    const bundle = async function* () {
      await Promise.resolve();
      yield* lines;
    };
    const sent = await get(handlerOf(stubDaybook({ privacyRequests: { ...daybook.privacyRequests, bundle } })), `${PATH}/r1/bundle`);
    expect(sent.text === lines.join("")).toBe(true);
  });

  it("that fails on the way is an error, not half an answer", async () => {
    const daybook = stubDaybook();
    const bundle = async function* () {
      await Promise.resolve();
      yield "{}\n";
      throw new DaybookError("invalid_transition", "not yet");
    };
    const sent = await get(handlerOf(stubDaybook({ privacyRequests: { ...daybook.privacyRequests, bundle } })), `${PATH}/r1/bundle`);
    expect([sent.status, codeOf(sent)]).toEqual([409, "invalid_transition"]);
  });
});
