/* Search of the documents. The index is a script that is loaded when somebody first looks for something:
 * entries of [address, page, heading, text], one for each section. Every word must be in the section;
 * words in headings count more than words in the text. "/" goes to the field, arrows walk what was found. */
"use strict";
(() => {
  const root = document.currentScript.dataset.root;
  const field = document.getElementById("words");
  const list = document.getElementById("found");
  const MOST = 12;
  const HISTORY = /^CHANGELOG|\/adr\//u; // what was is sought less often than what is

  const load = () => load.begun ??= new Promise((done, failed) => {
    const script = document.createElement("script");
    script.src = root + "search-index.js";
    script.onload = () => done(window.searchIndex);
    script.onerror = failed;
    document.head.append(script);
  });

  const weigh = (entry, words) => {
    const [, page, heading, text] = entry.map((part) => part.toLowerCase());
    let weight = 0;
    for (const word of words) {
      const whole = new RegExp("(^|[^a-z0-9_])" + word.replace(/[^a-z0-9_]/gi, "\\$&"), "u");
      if (whole.test(heading)) weight += 20;
      else if (whole.test(page)) weight += 8;
      else if (whole.test(text)) weight += 2 + Math.min(3, text.split(word).length - 1);
      else if (text.includes(word)) weight += 1;
      else return 0;
    }
    const phrase = words.join(" ");
    weight += (page.includes(phrase) ? 5 : 0) + (heading === page ? 3 : 0) + (text.replace(/[-_]/g, " ").includes(phrase) ? 4 : 0);
    return HISTORY.test(entry[0]) ? weight / 4 : weight;
  };

  const find = (index, sought) => {
    const words = sought.toLowerCase().split(/\s+/u).filter(Boolean);
    if (!words.length) return [];
    return index.map((entry) => [weigh(entry, words), entry]).filter(([weight]) => weight)
      .sort((a, b) => b[0] - a[0]).slice(0, MOST).map(([, entry]) => entry);
  };
  window.findInDocuments = find; // for the tests, and for who likes consoles

  const around = (text, word) => {
    const at = Math.max(0, text.toLowerCase().indexOf(word.toLowerCase()) - 50);
    return (at ? "…" : "") + text.slice(at, at + 150);
  };

  const marked = (text, words) => {
    const out = document.createElement("span");
    const pattern = new RegExp("(" + words.map((w) => w.replace(/[^a-z0-9_]/gi, "\\$&")).join("|") + ")", "iu");
    text.split(pattern).forEach((piece, i) => {
      const node = document.createElement(i % 2 ? "mark" : "span");
      node.textContent = piece;
      out.append(node);
    });
    return out;
  };

  const show = async () => {
    const sought = field.value.trim();
    list.hidden = !sought;
    if (!sought) return;
    const index = await load();
    if (sought !== field.value.trim()) return;
    const words = sought.split(/\s+/u);
    list.replaceChildren(...find(index, sought).map(([address, page, heading, text]) => {
      const item = document.createElement("li");
      const link = document.createElement("a");
      link.href = root + address;
      const where = document.createElement("small");
      where.append(marked(around(text, words[0]), words));
      link.append(marked(heading === page ? page : `${page}: ${heading}`, words), where);
      item.append(link);
      return item;
    }));
    if (!list.children.length) {
      const nothing = document.createElement("p");
      nothing.textContent = "Nothing has all of these words. Try fewer, or their beginnings.";
      list.append(nothing);
    }
  };

  field.addEventListener("input", show);
  field.addEventListener("focus", () => { load(); show(); });
  document.getElementById("search").addEventListener("submit", (event) => {
    event.preventDefault();
    list.querySelector("a")?.click();
  });
  document.addEventListener("click", (event) => {
    if (!event.target.closest("#search") || event.target.closest("#found a")) list.hidden = true;
  });
  document.addEventListener("keydown", (event) => {
    const links = [field, ...list.querySelectorAll("a")];
    const at = links.indexOf(document.activeElement);
    if (event.key === "/" && !/INPUT|TEXTAREA/.test(document.activeElement.tagName)) field.focus();
    else if (event.key === "Escape" && at >= 0) { list.hidden = true; field.blur(); }
    else if (event.key === "ArrowDown" && at >= 0) links[Math.min(at + 1, links.length - 1)].focus();
    else if (event.key === "ArrowUp" && at > 0) links[at - 1].focus();
    else return;
    event.preventDefault();
  });
})();
