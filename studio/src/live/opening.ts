/* What opens beside a list. Whoever opened it by key goes on in it, and is back at the list when it is closed. */
import { tick } from "svelte";

/** Which one the address names; "": none. */
export function named(view: string): string {
  try {
    return decodeURIComponent(new RegExp(`^#/${view}/([^?]+)`).exec(location.hash)?.[1] ?? "");
  } catch {
    return "";
  }
}

let from: HTMLElement | null = null, of = "";

/** For the click that opens: one that a key made has no place. */
export function opening(event: MouseEvent & { currentTarget: HTMLElement }): void {
  from = event.detail === 0 ? event.currentTarget : null;
  of = event.currentTarget.dataset["opens"] ?? "";
}

/** For what is opened; `what` is another when something else is shown in it. */
export function opened(node: HTMLElement, what: string): { update: (now: string) => void; destroy: () => void } {
  const enter = (): void => void (from && node.focus());
  enter();
  return {
    update: (now) => {
      if (now !== what) {
        what = now;
        enter();
      }
    },
    destroy: () => {
      const back = from;
      from = null;
      /* It may stand elsewhere by now, or nowhere. */
      void tick().then(() => back && (back.isConnected ? back : document.querySelector<HTMLElement>(`[data-opens="${CSS.escape(of)}"]`) ?? document.getElementById("main"))?.focus());
    },
  };
}
