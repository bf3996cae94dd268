/* Texts of others: as text, with marks that could turn it shown, and never longer than there is room for. */
import { visible } from "../picture/layout";

export function short(text: string, most = 120): string {
  return text.length > most ? `${visible(text.slice(0, most))}… (${text.length.toLocaleString("en")} characters)` : visible(text);
}
