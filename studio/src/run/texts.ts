/* The texts of files, for graphs and agents. */
import { fileText, whyUnread } from "../verify/kinds";

/** Names and texts, or a sentence that says why not: no byte is passed over. A mark in front is left out. */
export async function textsOf(list: readonly File[], largest: number, instead = ""): Promise<[string, string][] | string> {
  const large = list.find((f) => f.size > largest);
  if (large) {
    return `${large.name} is larger than ${largest >> 20} MB.${instead}`;
  }
  try {
    return await Promise.all(list.map(async (f): Promise<[string, string]> => [f.name, (await fileText(f)).replace(/^\ufeff/, "")]));
  } catch (fault) {
    return whyUnread(fault, list);
  }
}
