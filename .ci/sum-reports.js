// Names the tests that failed in all test reports of a folder, then prints the sums of their counts as the last line.
import { readFileSync } from "node:fs";
import { join } from "node:path";

const MESSAGE_CHARS_MAX = 2_000;

const folder = process.argv[2] ?? ".";
let passed = 0;
let failed = 0;
for (const name of ["test.json", "long.json", "clickhouse.json", "runtimes.json"]) {
  try {
    const report = JSON.parse(readFileSync(join(folder, name), "utf8"));
    passed += report.numPassedTests;
    failed += report.numFailedTests + (report.success || report.numFailedTests > 0 ? 0 : 1);
    for (const file of report.testResults) tellFailures(file);
  } catch (error) {
    console.log(`no report ${name}: ${error.message}`);
    failed += 1;
  }
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 && passed > 0 ? 0 : 1;

function tellFailures({ name, message, assertionResults }) {
  if (message) console.log(`failed: ${name}\n${message.slice(0, MESSAGE_CHARS_MAX)}`);
  for (const { status, fullName, failureMessages } of assertionResults) {
    if (status === "failed") console.log(`failed: ${name} > ${fullName}\n${failureMessages.join("\n").slice(0, MESSAGE_CHARS_MAX)}`);
  }
}
