// A second process: stores events and asks about them, over HTTP alone. Arguments: URL, token, how many.
import { connectDaybook } from "daybook/client";

const [url = "", token = "", count = "0"] = process.argv.slice(2);
const daybook = connectDaybook({ url, token });
const events = Array.from({ length: Number(count) }, (_, at) => ({ name: "a", userId: `u${at % 3}`, createdAt: "2026-03-01T00:00:00Z", project: "shop" }));
const stored = await daybook.ingest(events);
await daybook.identify({ anonymousId: "phone", userId: "u1" });
const answers = [await daybook.countEvents({ project: "shop" }), await daybook.countUniqueUsers(), await daybook.countEventsPerDay({ fill: true }), await daybook.projects()];
const refused = await daybook.countEvents({ startDate: "x" }).catch((error: unknown) => (error as { code: string }).code);
await daybook.close();
process.stdout.write(JSON.stringify({ stored, answers, refused }));
