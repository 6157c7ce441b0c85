// One tab writes the store. The others send it what happens in them, and follow it. When it is closed, another takes the store over.
import { DaybookError, openDaybook, type Daybook } from "daybook";
import { opfsStorage } from "daybook/browser";

export interface Happened {
  readonly id: string;
  readonly name: string;
  readonly createdAt: number;
}

export interface Counts {
  readonly views: number;
  readonly days: number;
  readonly events: readonly { readonly property: string; readonly count: number }[];
}

type Message = { readonly happened: readonly Happened[] } | { readonly stored: readonly string[] };

const AGAIN_MS = 500;
const tabs = new BroadcastChannel("analytics");
/** What happened here, until a tab says that it is stored. */
const unstored = new Map<string, Happened>();
let writer: Daybook | null = null;

async function countsOf(daybook: Daybook): Promise<Counts> {
  const questions = [daybook.countEvents({ eventName: "page_view" }), daybook.countEventsPerDay({}), daybook.aggregate({ field: "name" })] as const;
  const [views, perDay, events] = await Promise.all(questions);
  return { views, days: perDay.filter(({ count }) => count > 0).length, events };
}

/** Shows what is stored, and what comes to it, until the Daybook is closed. */
async function show(daybook: Daybook): Promise<void> {
  try {
    for await (const _ of daybook.changes({ after: 0 })) postMessage(await countsOf(daybook));
  } catch (error) {
    orNull("closed")(error);
  }
}

async function store(daybook: Daybook, happened: readonly Happened[]): Promise<void> {
  // What is sent twice is stored once, by its id.
  await daybook.ingest(happened);
  const message: Message = { stored: happened.map(({ id }) => id) };
  tabs.postMessage(message);
  hear(message);
}

function hear(message: Message): void {
  if ("stored" in message) for (const id of message.stored) unstored.delete(id);
  else if (writer !== null) void store(writer, message.happened);
}

function send(): void {
  if (unstored.size === 0) return;
  const message: Message = { happened: [...unstored.values()] };
  if (writer === null) tabs.postMessage(message);
  else hear(message);
}

function orNull(code: string): (error: unknown) => null {
  return (error) => {
    if (error instanceof DaybookError && error.code === code) return null;
    throw error;
  };
}

async function follow(): Promise<Daybook | null> {
  // The tab that writes may be about to make the store.
  const follower = await openDaybook({ storage: opfsStorage("analytics"), readOnly: true, follow: true }).catch(orNull("manifest_missing"));
  if (follower !== null) void show(follower);
  return follower;
}

async function run(): Promise<void> {
  let follower: Daybook | null = null;
  for (;;) {
    writer = await openDaybook({ storage: opfsStorage("analytics") }).catch(orNull("store_locked"));
    send();
    if (writer !== null) break;
    follower ??= await follow();
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
  }
  await follower?.close();
  await show(writer);
}

tabs.addEventListener("message", ({ data }: MessageEvent<Message>) => hear(data));
addEventListener("message", ({ data }: MessageEvent<Happened>) => {
  unstored.set(data.id, data);
  send();
});
void run();
