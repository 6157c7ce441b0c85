// The command line works on the store of a program, after the program has closed it:
//   npx tsx examples/serve-embedded.ts ./data/visits
//   npx daybook verify --data ./data/visits
//   npx daybook serve --data ./data/visits
// `verify`, `stats`, `export` and `token` also work while the program has it open; `serve`, `import` and `--salvage` do not.
import { openDaybook } from "daybook";
import { fileStorage } from "daybook/node";

const directory = process.argv[2] ?? "./data/visits";
const daybook = await openDaybook({ storage: fileStorage(directory) });
await daybook.ingest([
  { id: "1", name: "page_view", userId: "ada", createdAt: "2026-03-01T09:00:00Z", url: "/" },
  { id: "2", name: "page_view", userId: "ben", createdAt: "2026-03-01T09:05:00Z", url: "/pricing" },
  { id: "3", name: "signup", userId: "ben", createdAt: "2026-03-02T10:00:00Z" },
]);
await daybook.close();
console.log(`stored in ${directory}; now: npx daybook verify --data ${directory}`);
console.log(`answers over HTTP, for the organization "default": npx daybook serve --data ${directory}`);
