#!/usr/bin/env node
// Runs the binary of the package for this platform, which npm installs as an optional dependency of this one.
"use strict";
const { spawn } = require("node:child_process");
const os = require("node:os");
const { name, optionalDependencies } = require("./package.json");

const platform = `${process.platform}-${process.arch}`;
const packages = Object.keys(optionalDependencies);
const wanted = packages.find((it) => it.endsWith(`/${platform}`));

function binary() {
  if (!wanted) {
    throw new Error(`no binary for ${platform}; there are ${packages.join(", ")}. Build it from source: cargo install --path crates/refdesk`);
  }
  try {
    return require.resolve(`${wanted}/refdesk`);
  } catch {
    throw new Error(`${wanted} is not installed. Install ${name} again without --omit=optional or --no-optional`);
  }
}

function run(path) {
  const child = spawn(path, process.argv.slice(2), { stdio: "inherit" });
  // Who ends this process means the program.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  child.on("error", (error) => fail(error));
  child.on("exit", (code, signal) => process.exit(code ?? 128 + os.constants.signals[signal]));
}

function fail(error) {
  process.stderr.write(`${name}: ${error.message}\n`);
  process.exit(2);
}

try {
  run(binary());
} catch (error) {
  fail(error);
}
