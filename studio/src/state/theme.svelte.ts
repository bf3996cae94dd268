/* Light, dark, or as the system says. Kept in this browser. */
import { store, stored } from "./stored";

export type Theme = "system" | "light" | "dark";
const KEY = "motet.studio.theme";

function kept(): Theme {
  const said = stored(KEY);
  return said === "light" || said === "dark" ? said : "system";
}

class ThemeState {
  chosen = $state<Theme>(kept());

  set(theme: Theme): void {
    this.chosen = theme;
    store(KEY, theme);
    this.show();
  }

  /** Light, dark, system, and round again. */
  next(): void {
    this.set(this.chosen === "system" ? "light" : this.chosen === "light" ? "dark" : "system");
  }

  show(): void {
    document.documentElement.dataset["theme"] = this.chosen;
  }
}

export const theme = new ThemeState();
