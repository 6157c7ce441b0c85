import type { ShownRequest } from "./answers.js";
import type { ApiClient } from "./client.js";
import { bundleQuestion, newRequestQuestion, resolveQuestion, stepQuestion } from "./questions/house.js";

/** Opens a request, verifies and acknowledges it, which has to precede any action. @throws Trouble */
async function acknowledged(client: ApiClient, type: ShownRequest["type"], person: string, regulation: ShownRequest["regulation"]): Promise<string> {
  const { id } = await client.send(newRequestQuestion(type, person, regulation));
  await client.send(stepQuestion(id, "verify"));
  await client.send(stepQuestion(id, "acknowledge"));
  return id;
}

/** Removes all data of a person through a privacy request, which stays as a record. @throws Trouble */
export async function erasePerson(client: ApiClient, person: string, regulation: ShownRequest["regulation"]): Promise<ShownRequest> {
  const id = await acknowledged(client, "erasure", person, regulation);
  return await client.send(resolveQuestion(id, "completed"));
}

/** All data about a person, as JSON lines, through a privacy request that is then resolved. @throws Trouble */
export async function exportPerson(client: ApiClient, person: string, regulation: ShownRequest["regulation"]): Promise<string> {
  const id = await acknowledged(client, "portability", person, regulation);
  const lines = await bundleOf(client, id);
  await client.send(resolveQuestion(id, "completed"));
  return lines;
}

/** Downloads the bundle of a request. @throws Trouble */
export async function bundleOf(client: ApiClient, id: string): Promise<string> {
  const response = await client.fetch(bundleQuestion(id), new AbortController().signal);
  return await response.text();
}
