/* Bundles the extension into dist/, with the licences of what is bundled.
 *   node build.mjs [--out DIR]    DIR has dist/ then; without it, this folder
 *   node build.mjs --tests DIR    the unit tests instead, one file each, into DIR */
import { build } from "esbuild";
import { copyFileSync, existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const word = (name) => process.argv.includes(name) ? process.argv[process.argv.indexOf(name) + 1] : undefined;
const common = { bundle: true, absWorkingDir: here, logLevel: "warning", metafile: true, legalComments: "none" };
const node = { ...common, platform: "node", format: "cjs", target: "node18", external: ["vscode"], mainFields: ["module", "main"] };

/** The folders of the packages that went into a bundle. */
function packages(metafile) {
  const found = new Set();
  for (const input of Object.keys(metafile.inputs)) {
    const at = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(input);
    if (at) {
      found.add(at[1]);
    }
  }
  return [...found].sort();
}

function licences(metafile) {
  return packages(metafile).map((folder) => {
    const about = JSON.parse(readFileSync(join(here, folder, "package.json"), "utf8"));
    const file = readdirSync(join(here, folder)).find((name) => /^licen[cs]e/i.test(name));
    if (!file) {
      throw new Error(`${folder} has no licence to be told`);
    }
    return `${about.name} ${about.version} (${about.license})\n\n${readFileSync(join(here, folder, file), "utf8").trim()}\n`;
  }).join(`\n${"-".repeat(72)}\n\n`);
}

async function extension(out) {
  const dist = join(out, "dist");
  const main = await build({ ...node, entryPoints: ["src/extension.ts"], outfile: join(dist, "extension.js"), minify: true });
  await build({ ...common, entryPoints: ["src/webview/picture.ts", "src/webview/facts.ts"], outdir: dist, format: "iife", target: "es2022", minify: true });
  writeFileSync(join(dist, "licenses.txt"), licences(main.metafile));
  copyFileSync(join(here, "../../LICENSE"), join(out, "LICENSE"));
}

async function tests(out) {
  mkdirSync(out, { recursive: true });
  const entryPoints = readdirSync(join(here, "test")).filter((name) => name.endsWith(".test.ts")).map((name) => join("test", name));
  await build({ ...node, entryPoints, outdir: out, outbase: "test", external: ["vscode", "vscode-oniguruma", "vscode-textmate", "cheerio"] });
}

if (!existsSync(join(here, "node_modules"))) {
  console.error("the npm packages are missing: tools/install test");
  process.exit(3);
}
await (word("--tests") ? tests(word("--tests")) : extension(word("--out") ?? here));
