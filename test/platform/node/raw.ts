import { connect } from "node:net";

/** Everything a server sends back to these bytes until it closes, or until `until` has arrived. */
export async function raw(port: number, bytes: string | Uint8Array, until?: string): Promise<string> {
  return await new Promise((resolve, reject) => {
    let text = "";
    const socket = connect(port, "127.0.0.1", () => socket.write(bytes));
    const done = () => {
      socket.destroy();
      resolve(text);
    };
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1");
      if (until !== undefined && text.includes(until)) done();
    });
    socket.on("end", done).on("error", reject);
  });
}
