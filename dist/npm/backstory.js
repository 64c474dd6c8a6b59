#!/usr/bin/env node
// Runs the program of the package for this system, with the same arguments, streams and exit code. Downloads nothing.
"use strict";
const { spawnSync } = require("node:child_process");
const { constants } = require("node:os");

const { name, optionalDependencies } = require("../package.json");

function isMusl() {
  const report = process.report && process.report.getReport();
  return process.platform === "linux" && !(report && report.header && report.header.glibcVersionRuntime);
}

function program() {
  const system = `${process.platform}-${process.arch}`;
  const file = process.platform === "win32" ? "backstory.exe" : "backstory";
  // The musl build runs on every Linux; the other one needs the system's libc.
  const suffixes = isMusl() ? ["-musl"] : ["", "-musl"];
  for (const suffix of suffixes) {
    try {
      return require.resolve(`${name}-${system}${suffix}/bin/${file}`);
    } catch {
      // The next one.
    }
  }
  const known = Object.keys(optionalDependencies || {}).map((it) => it.slice(name.length + 1));
  console.error(`error: there is no package of ${name} for ${system}`);
  console.error(`hint: there are ${known.join(", ")}; npm leaves them out with --omit=optional`);
  process.exit(1);
}

const done = spawnSync(program(), process.argv.slice(2), { stdio: "inherit" });
if (done.error) {
  console.error(`error: ${done.error.message}`);
  process.exit(1);
}
process.exit(done.status === null ? 128 + (constants.signals[done.signal] || 0) : done.status);
