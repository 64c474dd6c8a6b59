// Runs the browser tests and prints what passed. `suite.mjs NAME…` runs those whose name holds one of the words.

import { launch } from "./setting.mjs";
import * as behaviour from "./behaviour.mjs";
import * as hostile from "./hostile.mjs";
import * as looks from "./looks.mjs";
import * as pages from "./pages.mjs";
import * as real from "./real.mjs";
import * as scale from "./scale.mjs";

const wanted = process.argv.slice(2);
// Tests are named by what they show, in words; what a file lends to another is not.
const tests = [behaviour, pages, real, scale, hostile, looks].flatMap((file) => Object.entries(file)).filter(([name]) => name.includes("_"));
const chosen = tests.filter(([name]) => !wanted.length || wanted.some((word) => name.includes(word)));

const browser = await launch();
let failed = 0;
for (const [name, test] of chosen) {
  const begun = performance.now();
  try {
    await test(browser);
    console.log(`ok     ${name} (${((performance.now() - begun) / 1000).toFixed(1)} s)`);
  } catch (error) {
    failed += 1;
    console.log(`FAILED ${name}: ${error.message}`);
  }
}
await browser.close();
console.log(`${chosen.length - failed} passed, ${failed} failed`);
process.exit(failed || !chosen.length ? 1 : 0);
