import { AsyncByteQueue, RecordBatchFileWriter, RecordBatchStreamWriter } from "apache-arrow";
import type { RecordBatch, Schema } from "apache-arrow";

/** `file` can be read at random and ends with a footer; `stream` can be read while it arrives. */
export type IpcFormat = "file" | "stream";

/** Keeps what a writer wrote until it is taken. */
class Chunks extends AsyncByteQueue {
  #chunks: Uint8Array[] = [];

  override write(chunk: Uint8Array): void {
    this.#chunks.push(chunk);
  }

  take(): Uint8Array {
    const bytes = new Uint8Array(this.#chunks.reduce((sum, chunk) => sum + chunk.length, 0));
    let at = 0;
    for (const chunk of this.#chunks) {
      bytes.set(chunk, at);
      at += chunk.length;
    }
    this.#chunks = [];
    return bytes;
  }
}

/** Turns record batches into the bytes of an Arrow IPC stream or file, batch by batch. */
export class IpcWriter {
  readonly #chunks = new Chunks();
  readonly #writer: RecordBatchStreamWriter | RecordBatchFileWriter;

  constructor(format: IpcFormat, schema: Schema) {
    this.#writer = format === "file" ? new RecordBatchFileWriter() : new RecordBatchStreamWriter();
    this.#writer.reset(this.#chunks, schema);
  }

  /** The bytes of a batch, and of what stands before it. */
  write(batch: RecordBatch): Uint8Array {
    this.#writer.write(batch);
    return this.#chunks.take();
  }

  /** The bytes that end it. */
  end(): Uint8Array {
    this.#writer.close();
    return this.#chunks.take();
  }
}
