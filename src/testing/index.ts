export { seededRandom, type Random } from "./random.js";
export { generateTraffic, type TrafficOptions } from "./traffic-generator.js";
export { storageSuite } from "./storage-suite.js";
export { SimulatedDisk, type DiskOperation, type DiskState } from "./simulated-disk.js";
export { SimulatedFileSystem, type SimulatedFileSystemOptions } from "./simulated-file-system.js";
export { failFrom, failOnce, type Fault, type Faults } from "./simulated-file-system.js";
export { isSettled, powerLoss } from "./simulated-disk.js";
export { simulatedProcess, type SimulatedIdentity, type SimulatedState } from "./simulated-file-system.js";
