// One tab writes the store. Other tabs send their events to it, and follow the store. When the writing tab closes, another takes over.
import { DaybookError, openDaybook, type Daybook } from "daybook";
import { opfsStorage } from "daybook/browser";

export interface PageEvent {
  readonly id: string;
  readonly name: string;
  readonly createdAt: number;
}

export interface Counts {
  readonly views: number;
  readonly days: number;
  readonly events: readonly { readonly property: string; readonly count: number }[];
}

type Message = { readonly events: readonly PageEvent[] } | { readonly stored: readonly string[] };

const RETRY_MS = 500;
const tabs = new BroadcastChannel("analytics");
/** Events of this tab that are not known to be stored. */
const unstored = new Map<string, PageEvent>();
let writer: Daybook | null = null;

async function countsOf(daybook: Daybook): Promise<Counts> {
  const queries = [daybook.countEvents({ eventName: "page_view" }), daybook.countEventsPerDay({}), daybook.aggregate({ field: "name" })] as const;
  const [views, perDay, events] = await Promise.all(queries);
  return { views, days: perDay.filter(({ count }) => count > 0).length, events };
}

/** Posts counts after each change, until the Daybook is closed. */
async function show(daybook: Daybook): Promise<void> {
  try {
    for await (const _ of daybook.changes({ after: 0 })) postMessage(await countsOf(daybook));
  } catch (error) {
    nullFor("closed")(error);
  }
}

async function store(daybook: Daybook, events: readonly PageEvent[]): Promise<void> {
  // An event that is sent twice is stored once, because of its id.
  await daybook.ingest(events);
  const message: Message = { stored: events.map(({ id }) => id) };
  tabs.postMessage(message);
  receive(message);
}

function receive(message: Message): void {
  if ("stored" in message) for (const id of message.stored) unstored.delete(id);
  else if (writer !== null) void store(writer, message.events);
}

function send(): void {
  if (unstored.size === 0) return;
  const message: Message = { events: [...unstored.values()] };
  if (writer === null) tabs.postMessage(message);
  else receive(message);
}

function nullFor(code: string): (error: unknown) => null {
  return (error) => {
    if (error instanceof DaybookError && error.code === code) return null;
    throw error;
  };
}

async function follow(): Promise<Daybook | null> {
  // The writing tab may not have created the store yet.
  const follower = await openDaybook({ storage: opfsStorage("analytics"), readOnly: true, follow: true }).catch(nullFor("manifest_missing"));
  if (follower !== null) void show(follower);
  return follower;
}

async function run(): Promise<void> {
  let follower: Daybook | null = null;
  for (;;) {
    writer = await openDaybook({ storage: opfsStorage("analytics") }).catch(nullFor("store_locked"));
    send();
    if (writer !== null) break;
    follower ??= await follow();
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
  await follower?.close();
  await show(writer);
}

tabs.addEventListener("message", ({ data }: MessageEvent<Message>) => receive(data));
addEventListener("message", ({ data }: MessageEvent<PageEvent>) => {
  unstored.set(data.id, data);
  send();
});
void run();
