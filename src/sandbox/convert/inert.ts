/**
 * The content that the sandbox serves is inert: it has no script, no event handler, and only addresses of the web. The list names the schemes
 * that are allowed, because a list of the forbidden ones would miss some.
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
/** They contain several addresses, or a document. */
const DROPPED_ATTRIBUTES: ReadonlySet<string> = new Set(["srcset", "srcdoc", "style"]);
/** As in a browser. Without a limit, a page could ask for any number of columns. */
const MAX_SPAN = 1_000;
const SAFE_SCHEMES: ReadonlySet<string> = new Set(["http", "https", "mailto", "tel"]);

/** Changes the element: removes what is active, and the span of a cell that is wider than a browser allows. */
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
