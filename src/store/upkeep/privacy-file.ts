import type { Store } from "../live/store.js";

/** Writes the privacy requests durably. No seal may be in progress. @throws store_locked, storage_full */
export async function writePrivacy(store: Store, text: string): Promise<void> {
  const former = store.manifest.privacy;
  const entry = await store.files.writePrivacy(store.takeFileNumber(), text);
  await store.storage.sync([entry.key]);
  await store.writeManifest(() => ({ privacy: entry }));
  store.privacy = text;
  if (former !== null) await store.storage.remove(former.key).catch(() => undefined);
}
