/** Which `motet` is used: the one of the settings, else the first on the PATH; and whether it can
 * serve an editor. */

/** The first that has everything the extension asks for. */
export const OLDEST = [0, 1, 0] as const;

export interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface Surroundings {
  readonly searchPath: string;
  readonly home: string;
  readonly platform: string;
  isProgram(file: string): boolean;
  /** Rejects if it cannot be started. */
  run(file: string, words: readonly string[]): Promise<Ran>;
}

export type Found =
  | { readonly kind: "found"; readonly file: string; readonly version: string }
  | { readonly kind: "missing"; readonly looked: readonly string[] }
  | { readonly kind: "refused"; readonly why: string }
  | { readonly kind: "broken"; readonly file: string; readonly why: string }
  | { readonly kind: "old"; readonly file: string; readonly version: string; readonly why: string };

const GET = "Build it with `make` and `make install` in Motet's sources, or install its Debian package; then put it on "
  + "the PATH, or set motet.path to where it is.";

function isAbsolute(file: string, platform: string): boolean {
  return file.startsWith("/") || (platform === "win32" && /^([A-Za-z]:[\\/]|\\\\)/.test(file));
}

/** Where to look, in order; a relative folder on the PATH would mean another program in each workspace. */
export function candidates(setting: string, s: Surroundings): readonly string[] | string {
  const wanted = setting.trim().replace(/^~(?=\/)/, s.home);
  if (wanted) {
    return isAbsolute(wanted, s.platform) ? [wanted] : `motet.path is '${setting}', which is not an absolute path.`;
  }
  const windows = s.platform === "win32";
  return s.searchPath.split(windows ? ";" : ":").filter((folder) => isAbsolute(folder, s.platform))
    .map((folder) => windows ? `${folder}\\motet.exe` : `${folder.replace(/\/+$/, "")}/motet`);
}

/** The three numbers of "motet 0.1.0 (contract language 1.0)"; undefined: something else was said. */
export function readVersion(said: string): readonly [number, number, number] | undefined {
  const found = /^motet (\d+)\.(\d+)\.(\d+)/.exec(said);
  return found ? [Number(found[1]), Number(found[2]), Number(found[3])] : undefined;
}

export function isOlder(version: readonly number[], least: readonly number[]): boolean {
  for (const [i, wanted] of least.entries()) {
    const has = version[i] ?? 0;
    if (has !== wanted) {
      return has < wanted;
    }
  }
  return false;
}

async function judge(file: string, s: Surroundings): Promise<Found> {
  try {
    const said = await s.run(file, ["--version"]);
    const version = readVersion(said.out);
    if (said.code !== 0 || !version) {
      return { kind: "broken", file, why: `it does not say a version of Motet: ${(said.out + said.err).trim().slice(0, 200)}` };
    }
    const text = version.join(".");
    if (isOlder(version, OLDEST)) {
      return { kind: "old", file, version: text, why: `this extension wants ${OLDEST.join(".")} or later` };
    }
    const help = await s.run(file, ["help", "lsp"]);
    return help.code === 0 ? { kind: "found", file, version: text }
      : { kind: "old", file, version: text, why: "it has no language server" };
  } catch (error) {
    return { kind: "broken", file, why: `it cannot be started: ${error instanceof Error ? error.message : String(error)}` };
  }
}

export async function findMotet(setting: string, s: Surroundings): Promise<Found> {
  const looked = candidates(setting, s);
  if (typeof looked === "string") {
    return { kind: "refused", why: looked };
  }
  const file = looked.find((candidate) => s.isProgram(candidate));
  return file ? judge(file, s) : { kind: "missing", looked };
}

/** What to tell the reader, and what to do about it. */
export function explainFound(found: Found, setting: string): string {
  switch (found.kind) {
    case "found": return `Motet ${found.version} (${found.file})`;
    case "missing": return setting.trim()
      ? `There is no program at ${found.looked[0] ?? setting}, where motet.path says Motet is. ${GET}`
      : `Motet is not on the PATH. ${GET}`;
    case "refused": return found.why;
    case "broken": return `${found.file} is not a Motet that can be used: ${found.why}`;
    case "old": return `Motet ${found.version} (${found.file}) is too old: ${found.why}. ${GET}`;
  }
}
