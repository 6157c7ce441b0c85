import { OpenPanel } from "@openpanel/sdk";
import Mixpanel from "mixpanel";
import { PostHog } from "posthog-node";
import { describe, expect, it } from "vitest";
import { serving, TOKEN, WHOLE } from "./kit.js";

const REFUSED = /^organization_token_required; param="previousId"; name="old"/;

describe("an alias that a client sends with a key of a project", () => {
  it("of posthog-node is left out, the rest of its batch is stored, and $identify still ties the device", async () => {
    const there = await serving();
    const client = new PostHog(TOKEN, { host: there.url, flushInterval: 0, flushAt: 100 });
    const errors: unknown[] = [];
    client.on("error", (error) => errors.push(error));
    client.capture({ distinctId: "device", event: "Seen", properties: { $process_person_profile: false } });
    client.capture({ distinctId: "ann", event: "Signup" });
    client.identify({ distinctId: "ann", properties: { $anon_distinct_id: "device" } });
    client.capture({ distinctId: "old", event: "Seen" });
    client.alias({ distinctId: "ann", alias: "old" });
    await client.shutdown();
    expect(errors).toEqual([]);
    expect((await there.records()).filter(({ type }) => type === "alias")).toEqual([]);
    expect([await there.daybook.countEvents(), await there.daybook.countUniqueUsers(), await there.daybook.countEvents({ userId: "ann" })]).toEqual([3, 2, 2]);
  });

  it("has a notice in its answer, which is that of success", async () => {
    const there = await serving();
    const batch = [{ event: "$create_alias", distinct_id: "ann", properties: { alias: "old" } }, { event: "a", distinct_id: "ann" }];
    const answer = await fetch(`${there.url}/batch/`, { method: "POST", body: JSON.stringify({ api_key: TOKEN, batch }) });
    expect([answer.status, await answer.json(), (await there.events()).length]).toEqual([200, { status: "Ok" }, 1]);
    expect(answer.headers.get("daybook-notice")).toMatch(REFUSED);
    const whole = await fetch(`${there.url}/batch/`, { method: "POST", body: JSON.stringify({ api_key: WHOLE, batch }) });
    expect([whole.status, whole.headers.get("daybook-notice"), (await there.records()).length]).toEqual([200, null, 1]);
  });

  it("of mixpanel and @openpanel/sdk fails no call", async () => {
    const there = await serving();
    const mixpanel = Mixpanel.init(TOKEN, { host: there.host, protocol: "http", key: "any" } as never);
    const heard = async (call: (done: (error?: unknown) => void) => void) => await new Promise((resolve) => call((error) => resolve(error ?? null)));
    expect(await heard((done) => mixpanel.alias("ann", "old", done))).toBeNull();
    expect(await heard((done) => mixpanel.track("$merge", { $distinct_ids: ["ann", "old"] }, done))).toBeNull();
    const openpanel = new OpenPanel({ clientId: "daybook", clientSecret: TOKEN, apiUrl: there.url });
    await openpanel.send({ type: "alias", payload: { profileId: "ann", alias: "old" } } as never);
    expect(await there.records()).toEqual([]);
    expect(there.answered.map(({ status }) => status)).toEqual([200, 200, 200]);
  });
});
