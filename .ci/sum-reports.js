// Adds up the counts of all test reports in a folder and prints them as the last line.
import { readFileSync } from "node:fs";
import { join } from "node:path";

const folder = process.argv[2] ?? ".";
let passed = 0;
let failed = 0;
for (const name of ["test.json", "long.json"]) {
  try {
    const report = JSON.parse(readFileSync(join(folder, name), "utf8"));
    passed += report.numPassedTests;
    failed += report.numFailedTests + (report.success || report.numFailedTests > 0 ? 0 : 1);
  } catch (error) {
    console.log(`no report ${name}: ${error.message}`);
    failed += 1;
  }
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
