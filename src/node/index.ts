export { eventLoopLag, type EventLoopLag } from "./event-loop-lag.js";
export { fileStorage, type FileStorageOptions } from "./file-storage.js";
export type { DirectoryEntry, FileSystem, OpenFile, OpenMode } from "../store/file-system.js";
export { listen, type ListenOptions, type Listening, type RequestHandler } from "./listen.js";
export { type SocketLimits } from "./socket-limits.js";
export { nativeCodec } from "./native-codec.js";
export { processGauges } from "./process-gauges.js";
export type { ProcessIdentity, ProcessTable } from "./process-table.js";
export { sha256Hex } from "./sha256-hex.js";
