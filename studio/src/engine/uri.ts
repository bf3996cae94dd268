/* What the language server calls the files of the workspace: a folder that is nowhere. */
export const ROOT = "/workspace/";

export function uriOf(path: string): string {
  return `file://${ROOT}${path.split("/").map(encodeURIComponent).join("/")}`;
}

/** Null: it is not of the workspace. */
export function pathOf(uri: string): string | null {
  const path = decodeURIComponent(uri.replace(/^file:\/\//, ""));
  return path.startsWith(ROOT) ? path.slice(ROOT.length) : null;
}
