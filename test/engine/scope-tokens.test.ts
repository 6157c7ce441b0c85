import { afterEach, describe, expect, it, vi } from "vitest";
import { fixedClock, memoryStorage, openDaybook, verifyStore, type Clock, type Daybook, type SignScopeOptions, type Storage } from "../../src/index.js";
import { decodeScopeToken, encodeScopeToken, organizationOfScopeToken } from "../../src/engine/tokens/scope-token.js";
import { encodeSigningKeys, SIGNING_KEYS_KEY } from "../../src/store/files/signing-keys.js";
import type { Scope } from "../../src/query/plan/scope.js";

const NOW_MS = Date.parse("2026-03-10T12:00:00.000Z");
const SCOPE: Scope = { filterGroups: [{ filters: [{ fieldName: "company_id", operator: "equals", value: "acme" }] }], lastDays: 30 };
const HOUR: SignScopeOptions = { expiresIn: "1h" };
const invalid = { code: "invalid_token" };

const opened: Daybook[] = [];
afterEach(async () => {
  vi.restoreAllMocks();
  await Promise.all(opened.splice(0).map((daybook) => daybook.close()));
});

async function open(storage: Storage = memoryStorage(), options: { clock?: Clock; readOnly?: boolean; follow?: boolean } = {}): Promise<Daybook> {
  const daybook = await openDaybook({ storage, clock: fixedClock(NOW_MS), ...options });
  opened.push(daybook);
  return daybook;
}

/** A clock that a test sets. */
function movingClock(): Clock & { nowMs: number } {
  const clock = { nowMs: NOW_MS, now: () => clock.nowMs };
  return clock;
}

/** Counts the reads of the file of keys from now on. */
function keyReads(storage: Storage): () => number {
  const read = vi.spyOn(storage, "read");
  return () => read.mock.calls.filter(([key]) => key === SIGNING_KEYS_KEY).length;
}

describe("a signed scope", () => {
  it("is read back as it was signed, by the store that signed it", async () => {
    const daybook = await open();
    const token = await daybook.signScope(SCOPE, { ...HOUR, origins: ["https://APP.example", "https://*.app.example:8443"] });
    expect(token).toMatch(/^ds_[\w-]{80,400}$/);
    expect(await daybook.verifyScopeToken(token)).toEqual({
      scope: SCOPE, organization: "default", expiresAt: "2026-03-10T13:00:00.000Z", origins: ["https://app.example", "https://*.app.example:8443"],
    });
  });

  it("has the bytes of format 1", async () => {
    const storage = memoryStorage();
    await storage.write(SIGNING_KEYS_KEY, encodeSigningKeys([Uint8Array.from({ length: 32 }, (_, at) => at)]));
    const token = await (await open(storage)).signScope({ projects: ["shop"] }, { ...HOUR, organization: "acme" });
    expect(token).toBe(GOLDEN);
    expect(organizationOfScopeToken(token)).toBe("acme");
  });

  it("keeps dates as texts, without members that are undefined, and is a copy", async () => {
    const daybook = await open();
    const token = await daybook.signScope({ from: new Date(NOW_MS), projects: undefined }, HOUR);
    const { scope } = await daybook.verifyScopeToken(token);
    expect(scope).toEqual({ from: "2026-03-10T12:00:00.000Z" });
    Object.assign(scope, { projects: ["mine"] });
    expect((await daybook.verifyScopeToken(token)).scope).toEqual({ from: "2026-03-10T12:00:00.000Z" });
  });

  it.each<[options: object, expiresAt: string]>([
    [{ expiresIn: 1 }, "2026-03-10T12:00:01.000Z"],
    [{ expiresIn: "90s" }, "2026-03-10T12:01:30.000Z"],
    [{ expiresIn: "15m" }, "2026-03-10T12:15:00.000Z"],
    [{ expiresIn: "1d" }, "2026-03-11T12:00:00.000Z"],
    [{ expiresAt: "2026-03-10T14:00:00+01:00" }, "2026-03-10T13:00:00.000Z"],
    [{ expiresAt: new Date(NOW_MS + 5) }, "2026-03-10T12:00:00.005Z"],
    [{ expiresIn: "366d", longLived: true }, "2027-03-11T12:00:00.000Z"],
  ])("with %j expires at %s", async (options, expiresAt) => {
    const daybook = await open();
    expect((await daybook.verifyScopeToken(await daybook.signScope(SCOPE, options))).expiresAt).toBe(expiresAt);
  });

  it.each<[options: object, code: string, message: string]>([
    [{}, "exactly_one_required", "expiresIn: expected exactly one of expiresIn and expiresAt"],
    [{ expiresIn: 1, expiresAt: new Date(NOW_MS + 5) }, "exactly_one_required", "expiresIn: expected exactly one of expiresIn and expiresAt"],
    [{ expiresIn: 0 }, "invalid_parameter", "expiresIn: expected whole seconds, or a text such as 90s, 15m, 1h or 7d, got 0"],
    [{ expiresIn: "1 hour" }, "invalid_parameter", 'expiresIn: expected whole seconds, or a text such as 90s, 15m, 1h or 7d, got "1 hour"'],
    [{ expiresIn: 86_401 }, "invalid_parameter", "expiresIn: expected at most 24 hours from now, or up to 366 days with longLived, got 86401"],
    [{ expiresIn: "367d", longLived: true }, "invalid_parameter", 'expiresIn: expected at most 366 days from now, got "367d"'],
    [{ expiresAt: "2026-03-10T12:00:00Z" }, "invalid_parameter", 'expiresAt: expected an instant in the future, got "2026-03-10T12:00:00Z"'],
    [{ expiresAt: "2026-03-11" }, "invalid_date", 'expiresAt: expected an RFC 3339 timestamp with a zone or a Date, got "2026-03-11"'],
    [{ ...HOUR, longLived: "yes" }, "invalid_parameter", 'longLived: expected true or false, got "yes"'],
    [{ ...HOUR, origins: [] }, "invalid_parameter", "origins: expected a list of 1 to 100 origins, got []"],
    [{ ...HOUR, origins: ["app.example"] }, "invalid_parameter", 'origins[0]: expected *, or an origin such as https://shop.example, http://localhost:8080 or https://*.shop.example, got "app.example"'],
    [{ ...HOUR, organization: "Acme" }, "invalid_parameter", 'organization: expected at most 63 lower-case letters, digits, - and _, got "Acme"'],
  ])("is not signed with %j", async (options, code, message) => {
    await expect((await open()).signScope(SCOPE, options)).rejects.toMatchObject({ code, message });
  });

  it.each<[scope: unknown, code: string, param: string]>([
    [null, "invalid_parameter", "scope"],
    [{ lastDay: 1 }, "unknown_parameter", "scope.lastDay"],
    [{ queries: ["count"] }, "invalid_parameter", "scope.queries[0]"],
    [{ filterGroups: [{ filters: [{ fieldName: "url", operator: "regex", value: "(" }] }] }, "invalid_regex", "scope.filterGroups[0].filters[0].value"],
    [{ filterGroups: 1n }, "invalid_parameter", "scope.filterGroups"],
    // JSON would turn these into no condition.
    [{ from: new Date(NaN) }, "invalid_date", "scope.from"],
    [{ lastDays: Infinity }, "invalid_parameter", "scope.lastDays"],
    [{ projects: () => 1 }, "invalid_parameter", "scope.projects"],
    [{ filterGroups: Symbol("a") }, "invalid_parameter", "scope.filterGroups"],
  ])("is checked: it is refused as %o", async (scope, code, param) => {
    await expect((await open()).signScope(scope as Scope, HOUR)).rejects.toMatchObject({ code, details: { param } });
  });

  it("is at most 4,096 characters long as a token", async () => {
    const daybook = await open();
    const projects = Array.from({ length: 100 }, (_, at) => `${"x".repeat(at)}${Math.sin(at)}`);
    expect((await daybook.signScope({ projects }, HOUR)).length).toBeLessThan(4_096);
    const long = Array.from({ length: 100 }, (_, at) => `${Math.sin(at)}${Math.cos(at)}${Math.sin(at + 0.5)}${Math.cos(at + 0.5)}`);
    await expect(daybook.signScope({ projects: long }, HOUR)).rejects.toMatchObject({
      code: "invalid_parameter",
      message: expect.stringMatching(/^scope: expected a token of at most 4096 characters for at most 65535 bytes of JSON, got a token of \d{4} characters for \d{4} bytes$/) as string,
    });
    await expect(daybook.signScope({ projects: ["x".repeat(65_536)] }, HOUR)).rejects.toMatchObject({ details: { param: "scope" } });
  });
});

describe("a token that was not signed so", () => {
  it("is refused, whichever of its characters or bytes differs", async () => {
    const daybook = await open();
    const token = await daybook.signScope(SCOPE, HOUR);
    const bytes = Buffer.from(token.slice(3), "base64url");
    const forged = [...bytes.keys()].flatMap((at) => [0, 7].map((bit) => `ds_${Buffer.from(bytes.map((byte, place) => (place === at ? byte ^ (1 << bit) : byte))).toString("base64url")}`));
    const cut = [...token].map((_, length) => token.slice(0, length));
    const other = [`${token}A`, `${token}=`, ` ${token}`, `sk_${token.slice(3)}`, token.toUpperCase(), "ds_", `ds_${"A".repeat(5_000)}`];
    for (const text of [...forged, ...cut, ...other, null, 7, {}]) await expect(daybook.verifyScopeToken(text as string), String(text)).rejects.toMatchObject(invalid);
    expect((await daybook.verifyScopeToken(token)).scope).toEqual(SCOPE);
  });

  it("is refused if a key of another store signed it, or none", async () => {
    const [one, other] = [await open(), await open()];
    const token = await one.signScope(SCOPE, HOUR);
    await expect(other.verifyScopeToken(token)).rejects.toMatchObject(invalid);
    await other.signScope(SCOPE, HOUR);
    await expect(other.verifyScopeToken(token)).rejects.toMatchObject(invalid);
    const parts = decodeScopeToken(token) ?? expect.unreachable();
    const unsigned = encodeScopeToken(parts, () => new Uint8Array(32));
    await expect(one.verifyScopeToken(unsigned)).rejects.toMatchObject(invalid);
  });

  it("is refused from the instant of its expiry on, also after it was valid", async () => {
    const clock = movingClock();
    const daybook = await open(memoryStorage(), { clock });
    const token = await daybook.signScope(SCOPE, { expiresIn: 10 });
    clock.nowMs += 9_999;
    await daybook.verifyScopeToken(token);
    clock.nowMs += 1;
    await expect(daybook.verifyScopeToken(token)).rejects.toMatchObject(invalid);
  });

  it("is refused if it was issued more than a minute from now", async () => {
    const clock = movingClock();
    const daybook = await open(memoryStorage(), { clock });
    const token = await daybook.signScope(SCOPE, HOUR);
    clock.nowMs -= 60_000;
    await daybook.verifyScopeToken(token);
    clock.nowMs -= 1;
    await expect(daybook.verifyScopeToken(token)).rejects.toMatchObject(invalid);
  });
});

describe("the signing keys", () => {
  it("are made with the first token, and not before", async () => {
    const storage = memoryStorage();
    const daybook = await open(storage);
    await expect(daybook.verifyScopeToken(GOLDEN)).rejects.toMatchObject(invalid);
    await expect(daybook.signScope(SCOPE, {})).rejects.toMatchObject({ code: "exactly_one_required" });
    expect(await storage.read(SIGNING_KEYS_KEY)).toBeNull();
    const tokens = await Promise.all([daybook.signScope(SCOPE, HOUR), daybook.signScope(SCOPE, HOUR)]);
    expect(tokens[0]).toBe(tokens[1]);
    expect(new TextDecoder().decode((await storage.read(SIGNING_KEYS_KEY)) ?? undefined)).toMatch(/^\{"keys":\["[0-9a-f]{64}"\],"check":"[0-9a-f]{32}"\}\n$/);
  });

  it("rotate: tokens of the key before are valid, older ones are not", async () => {
    const daybook = await open();
    const first = await daybook.signScope(SCOPE, HOUR);
    await daybook.verifyScopeToken(first);
    await daybook.rotateSigningKey();
    const second = await daybook.signScope(SCOPE, HOUR);
    expect(second).not.toBe(first);
    await daybook.verifyScopeToken(first);
    await daybook.rotateSigningKey();
    await daybook.verifyScopeToken(second);
    await expect(daybook.verifyScopeToken(first)).rejects.toMatchObject(invalid);
  });

  it("are read again half a second later, by a writer and by readers beside it", async () => {
    const storage = memoryStorage();
    const writer = await open(storage);
    const token = await writer.signScope(SCOPE, HOUR);
    const reader = await open(storage, { readOnly: true, follow: true });
    const reads = keyReads(storage);
    for (let round = 0; round < 100; round += 1) await reader.verifyScopeToken(token);
    expect(reads()).toBe(1);
    await writer.rotateSigningKey();
    await writer.rotateSigningKey();
    const readsBefore = reads();
    const startedMs = performance.now();
    vi.spyOn(performance, "now").mockImplementation(() => startedMs + 600);
    await expect(reader.verifyScopeToken(token)).rejects.toMatchObject(invalid);
    expect(reads() - readsBefore).toBe(1);
    // As the command line does beside a server.
    await storage.write(SIGNING_KEYS_KEY, encodeSigningKeys([new Uint8Array(32)]));
    vi.spyOn(performance, "now").mockImplementation(() => startedMs + 1_200);
    await expect(writer.verifyScopeToken(await reader.signScope(SCOPE, HOUR))).resolves.toMatchObject({ scope: SCOPE });
    await expect(reader.rotateSigningKey()).rejects.toMatchObject({ code: "read_only" });
  });

  it("cannot be made by a reader", async () => {
    const storage = memoryStorage();
    await open(storage);
    const reader = await open(storage, { readOnly: true });
    await expect(reader.signScope(SCOPE, HOUR)).rejects.toMatchObject({ code: "read_only" });
  });

  it("are part of a backup, and of what is verified", async () => {
    const [storage, backup] = [memoryStorage(), memoryStorage()];
    const daybook = await open(storage);
    await daybook.ingest([{ name: "a" }]);
    const token = await daybook.signScope(SCOPE, HOUR);
    await daybook.backup(backup);
    expect(await (await open(backup, { readOnly: true })).verifyScopeToken(token)).toMatchObject({ scope: SCOPE });
    expect(await verifyStore(backup)).toMatchObject({ findings: [], notes: [] });
    await daybook.seal();
    const bytes = (await storage.read(SIGNING_KEYS_KEY)) ?? expect.unreachable();
    await storage.write(SIGNING_KEYS_KEY, bytes.map((byte, at) => (at === 12 ? byte ^ 1 : byte)));
    expect((await verifyStore(storage)).findings).toMatchObject([{ file: SIGNING_KEYS_KEY }]);
    await expect(daybook.signScope(SCOPE, HOUR)).rejects.toMatchObject({ code: "corruption" });
  });

  it("that are damaged are set aside on request: all tokens are invalid then", async () => {
    const storage = memoryStorage();
    const daybook = await open(storage);
    await daybook.ingest([{ name: "a" }]);
    const token = await daybook.signScope(SCOPE, HOUR);
    await daybook.close();
    await storage.write(SIGNING_KEYS_KEY, new TextEncoder().encode("{}"));
    const again = await openDaybook({ storage, clock: fixedClock(NOW_MS), onCorruption: "quarantine" });
    opened.push(again);
    await expect(again.verifyScopeToken(token)).rejects.toMatchObject(invalid);
    expect((await again.stats()).quarantine).toMatchObject([{ key: SIGNING_KEYS_KEY, lost: [] }]);
  });

  it("are out of reach once the Daybook is closed", async () => {
    const daybook = await open();
    await daybook.close();
    for (const call of [daybook.signScope(SCOPE, HOUR), daybook.verifyScopeToken(GOLDEN), daybook.rotateSigningKey()])
      await expect(call).rejects.toMatchObject({ code: "closed" });
  });
});

/** Checked with another HMAC and another inflate. */
const GOLDEN = "ds_AQRhY21lQnnNeeRgAABCec19U0gAAAAfq1YqTs4vSFWyqlYqKMrPSk0uKVayilYqzsgvUIqtrQUAlGdjfjeVL1vStyqTx1mH3ogZAMjz8PSIMEeVSQfxG3I";
