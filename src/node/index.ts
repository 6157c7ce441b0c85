export { fileStorage, type FileStorageOptions } from "./file-storage.js";
export type { DirectoryEntry, FileSystem, OpenFile, OpenMode } from "../store/file-system.js";
export { listen, type ListenOptions, type Listening, type RequestHandler } from "./listen.js";
export { nativeCodec } from "./native-codec.js";
export type { ProcessIdentity, ProcessTable } from "./process-table.js";
