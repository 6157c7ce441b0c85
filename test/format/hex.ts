/** Bytes as hex, 16 to a line: a difference shows where it is. */
export function hex(bytes: Uint8Array): string {
  const text = Buffer.from(bytes).toString("hex");
  return (text.match(/.{1,32}/g) ?? []).join("\n");
}

/** A container's bytes before the footer, its footer as text, and its trailer. */
export function containerParts(file: Uint8Array): { readonly blocks: string; readonly footer: string; readonly trailer: string } {
  const trailerAt = file.length - 16;
  const footerAt = trailerAt - new DataView(file.buffer, file.byteOffset + trailerAt).getUint32(0, true);
  return {
    blocks: hex(file.subarray(0, footerAt)),
    footer: new TextDecoder().decode(file.subarray(footerAt, trailerAt)),
    trailer: Buffer.from(file.subarray(trailerAt)).toString("hex"),
  };
}
