import { type DomDocument, type DomElement, isAfter, selectAll, selectFirst } from "./dom.ts";
import { makeInert, NEVER_SHOWN_SELECTOR } from "./inert.ts";

/** Everything that is not main content, as HTML. */
export interface PageFrame {
  /** Navigation and auxiliary information before the main content. */
  readonly header: string;
  /** What follows the main content. */
  readonly footer: string;
}

const FRAME_SELECTOR =
  "header, nav, aside, footer, [role=banner], [role=navigation], [role=complementary], [role=contentinfo]";
const MAIN_SELECTOR = "main, [role=main], article";
const FOOTER_SELECTOR = "footer, [role=contentinfo]";

/**
 * Splits the parts around the main content into those before it and those after it. An element whose text is already in the main
 * content belongs to neither: many pages put the heading of the article into a `header`.
 */
export function splitFrame(document: DomDocument, bodyText: string): PageFrame {
  const main = selectFirst(document, MAIN_SELECTOR) ?? selectFirst(document, "h1");
  const framing = selectAll(document, FRAME_SELECTOR);
  const outermost = framing.filter((element) => !framing.some((other) => other !== element && other.contains(element)));
  const shown = normalize(bodyText);
  const header: string[] = [];
  const footer: string[] = [];
  for (const element of outermost) {
    if (main !== null && element.contains(main)) {
      continue;
    }
    const text = normalize(element.textContent);
    if (text === "" || shown.includes(text)) {
      continue;
    }
    const isFooter = matches(element, FOOTER_SELECTOR) || (main !== null && isAfter(main, element));
    (isFooter ? footer : header).push(toInertHtml(element));
  }
  return { header: header.join("\n"), footer: footer.join("\n") };
}

/** The main content of a page in which the extraction found none: the page without its frame. Changes the document. */
export function wholeBody(document: DomDocument): string {
  const main = selectFirst(document, MAIN_SELECTOR) ?? document.body;
  if (main === null) {
    return "";
  }
  for (const element of selectAll(main, `${FRAME_SELECTOR}, ${NEVER_SHOWN_SELECTOR}`)) {
    element.remove();
  }
  return main.innerHTML.trim();
}

/** The page's text in one paragraph. Changes the document. */
export function plainBody(document: DomDocument): string {
  for (const hidden of selectAll(document, NEVER_SHOWN_SELECTOR)) {
    hidden.remove();
  }
  const text = (document.body?.textContent ?? "").trim();
  return `<p>${text.replace(/&/g, "&amp;").replace(/</g, "&lt;")}</p>`;
}

function toInertHtml(element: DomElement): string {
  makeInert(element);
  return element.outerHTML;
}

function matches(element: DomElement, selector: string): boolean {
  return selector
    .split(", ")
    .some((one) =>
      one.startsWith("[role=") ? element.getAttribute("role") === one.slice(6, -1) : element.localName === one,
    );
}

function normalize(text: string): string {
  return text.replace(/\s+/g, "");
}
