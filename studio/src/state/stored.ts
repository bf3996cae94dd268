/* What this browser keeps. It may forbid that, or have no room: the page then works without. */
type Place = "localStorage" | "sessionStorage";

export function stored(key: string, place: Place = "localStorage"): string | null {
  try {
    return window[place].getItem(key);
  } catch {
    return null;
  }
}

/** False: it is not kept. */
export function store(key: string, text: string, place: Place = "localStorage"): boolean {
  try {
    window[place].setItem(key, text);
    return true;
  } catch {
    return false;
  }
}
