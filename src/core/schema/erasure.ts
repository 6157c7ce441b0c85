/** The steps of a privacy request that an erasure takes. */
interface ErasureSteps<Subject, Receipt> {
  create(input: { readonly type: "erasure"; readonly subject: Subject }): Promise<{ readonly id: string }>;
  verify(id: string): Promise<unknown>;
  acknowledge(id: string): Promise<unknown>;
  resolve(id: string, resolution: "completed"): Promise<{ readonly receipt: Receipt | null }>;
}

/** Erases a person by all steps of a new privacy request. @throws what the steps throw */
export async function eraseSubject<Subject, Receipt>(requests: ErasureSteps<Subject, Receipt>, subject: Subject): Promise<Receipt> {
  const { id } = await requests.create({ type: "erasure", subject });
  await requests.verify(id);
  await requests.acknowledge(id);
  // A request that was resolved as completed has a receipt.
  return (await requests.resolve(id, "completed")).receipt as Receipt;
}
