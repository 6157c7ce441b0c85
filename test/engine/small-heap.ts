import { fileStorage } from "daybook/node";
import { openDaybook, type EventInput } from "daybook";

// Fills a store with texts of two bytes a character until the first is refused, and says how full it is then. What runs out of heap says nothing.
const [directory = "", kind = "url", charCount = "30"] = process.argv.slice(2);
const daybook = await openDaybook({ storage: fileStorage(directory), durability: "os" });
let made = 0;
const text = () => `${"ж".repeat(Number(charCount) - 8)}${String((made += 1)).padStart(8, "0")}`;
const eventOf = (): EventInput => {
  if (kind === "url") return { name: "view", url: `https://shop.example/${text()}` };
  return kind === "id" ? { name: "view", userId: text() } : { name: "view", metadata: { a: text(), b: text() } };
};
for (;;) {
  // As from a socket: texts of their own.
  const events = JSON.parse(JSON.stringify(Array.from({ length: 2_000 }, eventOf))) as EventInput[];
  const { rejected } = await daybook.ingest(events);
  if (rejected.length === 0) continue;
  const { distinctValues } = await daybook.stats();
  process.stdout.write(`${JSON.stringify({ ...distinctValues, heapBytes: process.memoryUsage().heapUsed, message: rejected[0]?.message })}\n`);
  break;
}
await daybook.close();
