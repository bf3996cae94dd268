/* build.mjs OUT WASM: the page, in OUT.
 *
 *   OUT/site/         the files as they are, for any server of static files
 *   OUT/studio.pack   the same, compressed, one behind the other
 *   OUT/files.json    what is where in it; src/http/studio_embed.py makes a table of it
 *   OUT/packed/       each file compressed, by the hash of its bytes: zopfli takes its time
 *
 * Every name but index.html has a hash of the bytes in it, so browsers keep them for ever. The same
 * sources give the same bytes. Styles are in src/style: a style that a component
 * brought would be put into the page by script, which its policy forbids. */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import esbuild from "esbuild";
import svelte from "esbuild-svelte";
import { minify } from "terser";

const here = dirname(fileURLToPath(import.meta.url));
const out = resolve(process.argv[2] ?? join(here, "../build-studio"));
const wasm = resolve(process.argv[3] ?? join(here, "../build-wasm/motet-all.wasm"));
const site = join(out, "site");
rmSync(site, { recursive: true, force: true });
mkdirSync(site, { recursive: true });

const TYPES = {
  html: "text/html; charset=utf-8", js: "text/javascript; charset=utf-8", css: "text/css; charset=utf-8",
  svg: "image/svg+xml", txt: "text/plain; charset=utf-8", wasm: "application/wasm", lzma: "application/octet-stream",
};
const inputs = new Set();
const digest = (bytes) => createHash("sha256").update(bytes).digest("hex");

function put(name, bytes) {
  const dot = name.lastIndexOf(".");
  const full = `${name.slice(0, dot)}-${digest(bytes).slice(0, 8).toUpperCase()}${name.slice(dot)}`;
  writeFileSync(join(site, full), bytes);
  return full;
}

/** What esbuild writes is a twentieth smaller after this. It is part of the names, too: other bytes never come under a name
 * that browsers keep. */
const SMALLER = { module: true, ecma: 2020, compress: { passes: 2 }, format: { comments: false } };
const how = digest(readFileSync(join(here, "package-lock.json")) + JSON.stringify(SMALLER)).slice(0, 4).toUpperCase();

async function makeSmaller(path) {
  const { code } = await minify(readFileSync(path, "utf8"), SMALLER);
  writeFileSync(path, code);
}

async function bundle(entryPoints, define) {
  const done = await esbuild.build({
    absWorkingDir: here, entryPoints, bundle: true, format: "esm", splitting: true, minify: true, target: "es2022",
    outdir: site, entryNames: `[name]-[hash]${how}`, chunkNames: `part-[hash]${how}`, metafile: true, legalComments: "none",
    loader: { ".tenor": "text", ".yaml": "text", ".csv": "text" }, define, alias: { "motet/engine": "../sdk/js/src/engine.ts", "motet/graph": "../sdk/js/src/engine_graph.ts", "motet/language": "../sdk/js/src/language.ts", "motet/client": "../sdk/js/src/client.ts" }, logLevel: "warning",
    plugins: [svelte({ compilerOptions: { css: "external", runes: true, dev: false }, filterWarnings: () => true })],
    conditions: ["svelte", "browser"], external: ["node:*"], // the SDK reads files where there are some
  });
  Object.keys(done.metafile.inputs).forEach((path) => inputs.add(path));
  await Promise.all(Object.keys(done.metafile.outputs).filter((path) => path.endsWith(".js")).map((path) => makeSmaller(join(here, path))));
  return Object.entries(done.metafile.outputs).map(([path, o]) => ({
    name: path.split("/").pop(), of: o.entryPoint, imports: o.imports.filter((i) => i.kind === "import-statement").map((i) => i.path.split("/").pop()) }));
}

/** A file and all that is fetched with it before it runs. */
function withImports(files, name, seen = new Set([name])) {
  for (const next of files.find((f) => f.name === name)?.imports ?? []) {
    if (!seen.has(next)) {
      seen.add(next);
      withImports(files, next, seen);
    }
  }
  return seen;
}

/** The licences of the packages whose code is in the page, and of the libraries in the module. */
function licenses() {
  const packages = new Set([...inputs].map((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1]).filter(Boolean));
  const text = (folder) => readdirSync(folder).filter((f) => /^(licen[sc]e|copying)/i.test(f)).map((f) => readFileSync(join(folder, f), "utf8")).join("\n");
  const parts = [...packages].sort().map((name) => {
    const folder = join(here, "node_modules", name);
    const { version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    return `${name} ${version} (${license})\n\n${text(folder)}`;
  });
  const libraries = join(dirname(wasm), "libraries");
  const versions = Object.fromEntries(readFileSync(join(libraries, "versions"), "utf8").trim().split("\n").map((l) => l.split(" ")));
  parts.push(...Object.keys(versions).sort().map((name) => `${name} ${versions[name]}, inside the engine\n\n${text(join(libraries, name))}`));
  return `What Studio has inside, and under which licences. Studio and the engine themselves: Apache-2.0.\n\n${parts.join("\n\n----\n\n")}`;
}

/** The module, packed as src/engine/unpack.ts reads it: a seventh smaller than by gzip. */
function engine(bytes) {
  const made = spawnSync("xz", ["--format=lzma", "--lzma1=preset=9e,lc=4,pb=0", "-c"], { input: bytes, maxBuffer: 1 << 26 });
  if (made.error) {
    console.error("studio/build.mjs: xz is not installed (tools/install studio): the engine is packed by gzip and weighs a sixth more");
    return put("motet.wasm", bytes);
  }
  made.stdout.writeBigUInt64LE(BigInt(bytes.length), 5); // xz, which reads a pipe, leaves it open
  return put("motet.lzma", made.stdout);
}

const named = (files, of, end) => files.find((f) => f.of?.endsWith(of) && f.name.endsWith(end))?.name;
const module = engine(readFileSync(wasm));
const worker = named(await bundle({ worker: "src/engine/worker.ts" }, { WASM: JSON.stringify(module) }), "worker.ts", ".js");
const page = await bundle({ studio: "src/main.ts" }, { WORKER: JSON.stringify(worker) });
const style = page.find((f) => f.name.startsWith("studio-") && f.name.endsWith(".css")).name;
const source = named(page, "views/Source.svelte", ".js");
const names = { LICENSES: put("licenses.txt", licenses()), SOURCE: source, SCRIPT: named(page, "main.ts", ".js"), STYLE: style, ICON: put("icon.svg", readFileSync(join(here, "src/icon.svg"))), WORKER: worker, MODULE: module };
writeFileSync(join(site, "index.html"), readFileSync(join(here, "src/index.html"), "utf8").replace(/\{(\w+)\}/g, (_, key) => names[key]));

/** Zopfli's gzip is a twentieth smaller than zlib's best, and a browser reads it the same. */
const zopfli = spawnSync("zopfli", ["-h"]).error === undefined;
if (!zopfli) {
  console.error("studio/build.mjs: zopfli is not installed (tools/install studio): the page is packed by gzip -9 and weighs a twentieth more");
}
const packed = join(out, "packed"), kept = new Set();
mkdirSync(packed, { recursive: true });

function pack(name, bytes) {
  const slowly = zopfli && !name.endsWith(".lzma"); // that is as small as it gets
  const at = `${digest(bytes)}.${slowly ? "zopfli" : "gz"}`;
  kept.add(at);
  if (!existsSync(join(packed, at))) {
    const made = slowly ? spawnSync("zopfli", ["-c", join(site, name)], { maxBuffer: 1 << 26 }) : { status: 0, stdout: gzipSync(bytes, { level: 9 }) };
    if (made.status !== 0) {
      throw new Error(`zopfli ${name}: ${made.stderr}`);
    }
    made.stdout[9] = 255; // which system made it is nobody's business
    writeFileSync(join(packed, at), made.stdout);
  }
  return readFileSync(join(packed, at));
}

const first = new Set(["index.html", style, ...withImports(page, names.SCRIPT), ...withImports(page, source)]);
const files = [], parts = [];
let at = 0;
for (const name of readdirSync(site).sort()) {
  const bytes = readFileSync(join(site, name));
  const small = pack(name, bytes);
  files.push({ name, type: TYPES[name.split(".").pop()], etag: digest(small).slice(0, 32), at, length: small.length,
    lasts: name !== "index.html", first: first.has(name) });
  parts.push(small);
  at += small.length;
}
writeFileSync(join(out, "studio.pack"), Buffer.concat(parts));
writeFileSync(join(out, "files.json"), JSON.stringify(files, null, 1) + "\n");
readdirSync(packed).filter((name) => !kept.has(name)).forEach((name) => rmSync(join(packed, name)));
