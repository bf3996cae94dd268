/** What the scripts of the panels share. */
declare function acquireVsCodeApi(): { postMessage(message: unknown): void };

export const vscode = acquireVsCodeApi();

/** The attribute of the element or of the nearest around it. */
export function asked(target: EventTarget | null, attribute: string): string | undefined {
  return target instanceof Element ? target.closest(`[${attribute}]`)?.getAttribute(attribute) ?? undefined : undefined;
}
