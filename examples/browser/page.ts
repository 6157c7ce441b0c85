import type { Counts, PageEvent } from "./worker.js";

const worker = new Worker("worker.js", { type: "module" });
const track = (name: string) => worker.postMessage({ id: crypto.randomUUID(), name, createdAt: Date.now() } satisfies PageEvent);

const show = (id: string, ...content: (string | Node)[]) => document.getElementById(id)?.replaceChildren(...content);
worker.addEventListener("message", ({ data }: MessageEvent<Counts>) => {
  const rows = data.events.map(({ property, count }) => {
    const row = document.createElement("tr");
    row.append(...[property, String(count)].map((text) => Object.assign(document.createElement("td"), { textContent: text })));
    return row;
  });
  show("views", String(data.views));
  show("days", String(data.days));
  show("events", ...rows);
});

for (const button of document.querySelectorAll("button")) button.addEventListener("click", () => track(button.textContent ?? ""));
track("page_view");
// Without this, a browser that runs out of space may delete the data of the site.
void navigator.storage.persist();
