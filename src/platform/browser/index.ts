export { opfsStorage } from "./opfs-storage.js";
