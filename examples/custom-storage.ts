// A Daybook in a custom storage: five functions over a bucket (custom-storage/bucket-storage.ts).
import { openDaybook } from "daybook";
import { bucketStorage, mapBucket } from "./custom-storage/bucket-storage.js";

const bucket = mapBucket();
const first = await openDaybook({ storage: bucketStorage(bucket) });
await first.ingest([
  { name: "pageview", userId: "ada", createdAt: "2026-03-01T09:00:00Z", url: "/" },
  { name: "pageview", userId: "ben", createdAt: "2026-03-02T09:00:00Z", url: "/pricing" },
]);
await first.close();

const again = await openDaybook({ storage: bucketStorage(bucket) });
console.log("events after reopening:", await again.countEvents());
console.log("unique users per day:", await again.countUniqueUsersPerDay());
await again.close();
console.log("objects in the bucket:", (await bucket.keys()).length);
