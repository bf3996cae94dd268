import assert from "node:assert/strict";
import test from "node:test";
import { candidates, explainFound, findMotet, isOlder, readVersion } from "../src/pure/find";
import type { Found, Surroundings } from "../src/pure/find";
import { surroundings } from "../src/run";
import { MOTET } from "./engine";

function world(files: Readonly<Record<string, string>>, more: Partial<Surroundings> = {}): Surroundings {
  return { searchPath: "/usr/bin::./here:/opt/motet/bin/", home: "/home/me", platform: "linux",
    isProgram: (file) => file in files,
    run: (file, words) => files[file] === "cannot start" ? Promise.reject(new Error("EACCES"))
      : Promise.resolve(words[0] === "--version" ? { code: 0, out: files[file] ?? "", err: "" }
        : { code: (files[file] ?? "").includes("without lsp") ? 2 : 0, out: "", err: "" }),
    ...more };
}

const GOOD = "motet 0.1.0 (contract language 1.0)\n";
const ROWS: readonly [string, string, Surroundings, Found["kind"], RegExp][] = [
  // what is tried, the setting, the world, what is found, what is said
  ["the first on the PATH", "", world({ "/usr/bin/motet": GOOD, "/opt/motet/bin/motet": GOOD }), "found", /0\.1\.0 \(\/usr\/bin\/motet\)/],
  ["a later folder of the PATH", "", world({ "/opt/motet/bin/motet": GOOD }), "found", /\(\/opt\/motet\/bin\/motet\)/],
  ["the setting wins", "/x/motet", world({ "/x/motet": GOOD, "/usr/bin/motet": GOOD }), "found", /\(\/x\/motet\)/],
  ["~ is the home", "~/bin/motet", world({ "/home/me/bin/motet": GOOD }), "found", /\/home\/me\/bin\/motet/],
  ["nowhere", "", world({}), "missing", /not on the PATH.*make install.*motet\.path/],
  ["not where the setting says, and then nowhere else", "/x/motet", world({ "/usr/bin/motet": GOOD }), "missing", /no program at \/x\/motet/],
  ["a relative setting", "./motet", world({ "./motet": GOOD }), "refused", /not an absolute path/],
  ["a relative folder on the PATH", "", world({ "./here/motet": GOOD, "/motet": GOOD }), "missing", /not on the PATH/],
  ["another program of that name", "", world({ "/usr/bin/motet": "bash 5\n" }), "broken", /not a Motet/],
  ["it cannot be started", "", world({ "/usr/bin/motet": "cannot start" }), "broken", /EACCES/],
  ["too old", "", world({ "/usr/bin/motet": "motet 0.0.9 (x)" }), "old", /0\.0\.9.*too old.*0\.1\.0 or later/],
  ["without a language server", "", world({ "/usr/bin/motet": "motet 0.1.0 without lsp" }), "old", /no language server/],
];
for (const [name, setting, where, kind, said] of ROWS) {
  test(`finding motet: ${name}`, async () => {
    const found = await findMotet(setting, where);
    assert.equal(found.kind, kind);
    assert.match(explainFound(found, setting), said);
  });
}

test("on Windows names have an ending and drives", () => {
  const w = world({}, { platform: "win32", searchPath: "C:\\bin;relative" });
  assert.deepEqual(candidates("", w), ["C:\\bin\\motet.exe"]);
  assert.deepEqual(candidates("D:\\motet.exe", w), ["D:\\motet.exe"]);
});

test("versions are compared by their numbers", () => {
  assert.deepEqual(readVersion("motet 12.3.45-rc (x)"), [12, 3, 45]);
  assert.equal(readVersion("tenor 1.0.0"), undefined);
  assert.ok(isOlder([0, 9, 9], [0, 10, 0]));
  assert.ok(!isOlder([0, 10, 0], [0, 10, 0]));
  assert.ok(!isOlder([1, 0, 0], [0, 10, 0]));
});

test("the motet that is built here is found and used", async () => {
  const found = await findMotet(MOTET, surroundings());
  assert.equal(found.kind, "found", explainFound(found, MOTET));
  assert.equal((await findMotet("/bin/true", surroundings())).kind, "broken");
  assert.equal((await findMotet(__filename, surroundings())).kind, "missing");
  assert.equal((await findMotet("/tmp", surroundings())).kind, "missing");
});
