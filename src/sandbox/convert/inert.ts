/**
 * What a gateway hands on of a page does nothing by itself: no script, no handler, no address but those of the web. The addresses
 * are a list of what is let in, since there are more disguises of a script than a list of them would name.
 */
import { type DomElement, selectAll } from "./dom.ts";

export const NEVER_SHOWN_SELECTOR =
  "script, style, noscript, template, iframe, frame, object, embed, applet, link, meta, base";

const ADDRESS_ATTRIBUTES: ReadonlySet<string> = new Set([
  "href",
  "src",
  "action",
  "formaction",
  "poster",
  "background",
  "cite",
  "data",
  "longdesc",
  "ping",
  "xlink:href",
]);
/** They hold several addresses, or a document. */
const DROPPED_ATTRIBUTES: ReadonlySet<string> = new Set(["srcset", "srcdoc", "style"]);
/** As in a browser. What makes columns of them would make as many as a page says. */
const MAX_SPAN = 1_000;
const SAFE_SCHEMES: ReadonlySet<string> = new Set(["http", "https", "mailto", "tel"]);

/** Changes the element: what is active goes, and no cell spans more columns than a browser lets it. */
export function makeInert(element: DomElement): void {
  for (const hidden of selectAll(element, NEVER_SHOWN_SELECTOR)) {
    hidden.remove();
  }
  for (const one of [element, ...selectAll(element, "*")]) {
    for (const { name, value } of Array.from(one.attributes)) {
      const key = name.toLowerCase();
      const isActive = key.startsWith("on") || DROPPED_ATTRIBUTES.has(key);
      const isTooWide = key === "colspan" && !(Number(value) <= MAX_SPAN);
      if (isActive || isTooWide || (ADDRESS_ATTRIBUTES.has(key) && !isSafeAddress(value))) {
        one.removeAttribute(name);
      }
    }
  }
}

/** A browser leaves out control characters and white space before it looks for the scheme. */
function isSafeAddress(address: string): boolean {
  const scheme = /^([^:/?#]*):/.exec(address.replace(/[\p{Cc}\s]/gu, ""))?.[1];
  return scheme === undefined || SAFE_SCHEMES.has(scheme.toLowerCase());
}
