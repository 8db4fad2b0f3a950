// Print `file:line: name` for each name that a script uses without declaring it, by ESLint's analysis of scopes;
// the names of the language itself are left out.
"use strict";
const fs = require("fs");
const vm = require("vm");
const acorn = require("acorn");
const { analyze } = require("eslint-scope");

const LANGUAGE = new Set(vm.runInNewContext("Object.getOwnPropertyNames(globalThis)"));
process.argv.slice(2).forEach((path) => {
  const code = fs.readFileSync(path, "utf8");
  const how = { ecmaVersion: 2022, sourceType: /^import /m.test(code) ? "module" : "script" };
  const { set, through } = analyze(acorn.parse(code, { ...how, ranges: true, locations: true }), how).globalScope;
  const known = (name) => LANGUAGE.has(name) || set.has(name); // `set`: declared at the top of the script
  through.map(({ identifier }) => identifier).filter(({ name }) => !known(name)).forEach(({ name, loc }) =>
    console.log(`${path}:${loc.start.line}: ${name}`));
});
