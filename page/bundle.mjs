// SPDX-License-Identifier: MIT
// Makes two files of src/: the page, one HTML file with its script, its style
// sheet and a place for the data; and the script that draws its figures without a
// browser. Both hold the licences of what is in them.
//
//   node bundle.mjs FOLDER/report.html    and FOLDER/figure.js
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const output = process.argv[2] ?? join(here, "report.html");

function licenceOf(folder) {
  const file = readdirSync(folder).find((name) => /^(un)?licen[sc]e/i.test(name));
  if (file) return readFileSync(join(folder, file), "utf8").trim();
  return `Licence: ${JSON.parse(readFileSync(join(folder, "package.json"), "utf8")).license}`;
}

// Of every package that something in the bundle is from.
function notices(metafile) {
  const folders = new Set();
  for (const path of Object.keys(metafile.inputs)) {
    const found = path.match(/^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//);
    if (found) folders.add(found[1]);
  }
  const packages = new Map();
  for (const folder of [...folders].sort()) {
    const licence = licenceOf(join(here, folder));
    packages.set(licence, [...(packages.get(licence) ?? []), folder.replace(/^.*node_modules\//, "")]);
  }
  return [...packages].map(([licence, names]) => `${names.join(", ")}\n\n${licence}`).join("\n\n----\n\n");
}

const options = { absWorkingDir: here, bundle: true, minify: true, write: false, preserveSymlinks: true, target: "es2021", legalComments: "none" };
const script = await build({ ...options, entryPoints: ["src/main.ts"], format: "iife", metafile: true });
const style = await build({ ...options, entryPoints: ["src/style.css"] });

// "</script" ends a script wherever it stands, "--" and ">" a comment.
const code = script.outputFiles[0].text.replace(/<\/(script)/gi, "<\\/$1").replace(/<!--/g, "<\\!--");
const legal = notices(script.metafile).replace(/--+/g, "-").replace(/>/g, ")");
const page = readFileSync(join(here, "src/index.html"), "utf8")
  .replace("/*STYLE*/", () => style.outputFiles[0].text.trim())
  .replace("/*SCRIPT*/", () => code.trim());
writeFileSync(output, `${page.trimEnd()}\n<!--\nThis page contains parts of the following, under their licences.\n\n${legal}\n-->\n`);

const headless = await build({ ...options, entryPoints: ["src/headless.ts"], platform: "node", format: "cjs", metafile: true });
const notice = notices(headless.metafile).replace(/\*\//g, "* /");
writeFileSync(join(dirname(output), "figure.js"), `${headless.outputFiles[0].text.trim()}\n/*\nThis script contains parts of the following, under their licences.\n\n${notice}\n*/\n`);
