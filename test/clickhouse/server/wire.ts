import { connect, createServer, type Server, type Socket } from "node:net";
import type { AddressInfo } from "node:net";

/**
 * Passes bytes on to a port of this machine. Where one side breaks a connection off, the other is told that it ended: a server that is not one ends
 * itself when a connection is reset.
 */
export class Wire {
  private constructor(readonly server: Server) {}

  static async to(port: number): Promise<Wire> {
    const server = createServer((near) => {
      const far = connect(port, "127.0.0.1");
      join(near, far);
      join(far, near);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return new Wire(server);
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  close(): void {
    this.server.close();
  }
}

function join(from: Socket, to: Socket): void {
  from.setNoDelay(true);
  from.on("data", (bytes) => {
    if (!to.write(bytes)) from.pause();
  });
  to.on("drain", () => from.resume());
  from.on("error", () => from.destroy());
  // A paused side would never see that it is over.
  from.on("close", () => to.end().resume());
}
