// One tab has the store; the others send it what happens in them. When it is closed, another takes the store over.
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

type Message = { readonly happened: readonly Happened[] } | { readonly stored: readonly string[]; readonly counts: Counts };

const AGAIN_MS = 500;
const tabs = new BroadcastChannel("analytics");
/** What happened here, until a tab says that it is stored. */
const unstored = new Map<string, Happened>();
let daybook: Daybook | null = null;

async function countedBy(owner: Daybook): Promise<Counts> {
  const questions = [owner.countEvents({ eventName: "page_view" }), owner.countEventsPerDay({}), owner.aggregate({ field: "name" })] as const;
  const [views, perDay, events] = await Promise.all(questions);
  return { views, days: perDay.filter(({ count }) => count > 0).length, events };
}

async function store(owner: Daybook, happened: readonly Happened[]): Promise<void> {
  // What is sent twice is stored once, by its id.
  await owner.ingest(happened);
  const message: Message = { stored: happened.map(({ id }) => id), counts: await countedBy(owner) };
  tabs.postMessage(message);
  hear(message);
}

function hear(message: Message): void {
  if ("stored" in message) {
    for (const id of message.stored) unstored.delete(id);
    postMessage(message.counts);
  } else if (daybook !== null) void store(daybook, message.happened);
}

function send(): void {
  if (unstored.size === 0) return;
  const message: Message = { happened: [...unstored.values()] };
  if (daybook === null) tabs.postMessage(message);
  else hear(message);
}

async function takeStore(): Promise<void> {
  try {
    daybook = await openDaybook({ storage: opfsStorage("analytics") });
  } catch (error) {
    if (!(error instanceof DaybookError && error.code === "store_locked")) throw error;
    setTimeout(() => void takeStore(), AGAIN_MS);
  }
  send();
}

tabs.addEventListener("message", ({ data }: MessageEvent<Message>) => hear(data));
addEventListener("message", ({ data }: MessageEvent<Happened>) => {
  unstored.set(data.id, data);
  send();
});
void takeStore();
