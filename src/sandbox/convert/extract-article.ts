import { Readability } from "@mozilla/readability";
import type { DomDocument } from "./dom.ts";

/** What the extraction finds. */
export interface Article {
  readonly title: string;
  readonly author: string;
  readonly excerpt: string;
  readonly published: string;
  /** HTML of the main content, links absolute. */
  readonly html: string;
}

/** Finds the main content of a page. Null if none is found. Changes the document. */
export function extractArticle(document: DomDocument): Article | null {
  let found: ReturnType<SandboxReadability["parse"]>;
  try {
    found = new SandboxReadability(document as never, { classesToPreserve: ["caption"] }).parse();
  } catch {
    // If the extraction fails, the whole page is served.
    return null;
  }
  if (found === null || typeof found.content !== "string" || found.content === "") {
    return null;
  }
  return {
    title: found.title ?? "",
    author: found.byline ?? "",
    excerpt: found.excerpt ?? "",
    published: found.publishedTime ?? "",
    html: found.content,
  };
}

interface ReadabilityInternals {
  REGEXPS: Record<string, RegExp>;
  _doc: DomDocument;
  _getAllNodesWithTag(node: unknown, names: readonly string[]): ArrayLike<unknown>;
}

const OpenReadability = Readability as unknown as new (
  document: never,
  options: object,
) => ReadabilityInternals & InstanceType<typeof Readability>;

/** Readability with the corrections that its published version does not have yet. */
class SandboxReadability extends OpenReadability {
  constructor(document: never, options: object) {
    super(document, options);
    // Formulas carry a context menu class, which would make them unlikely candidates.
    this.REGEXPS = { ...this.REGEXPS, okMaybeItsACandidate: /and|article|body|column|content|main|mathjax|shadow/i };
  }

  /** A list that stays as it is while its elements are replaced. */
  override _getAllNodesWithTag(node: unknown, names: readonly string[]): unknown[] {
    return Array.from(super._getAllNodesWithTag(node, names));
  }

  /** The title without the site's name; a dash of any length separates the two. */
  _getArticleTitle(): string {
    return toArticleTitle(this._doc);
  }
}

const SEPARATOR = / [|\-–—\\/>»] /;
const HIERARCHICAL_SEPARATOR = / [\\/>»] /;
const SHORT_TITLE_CHARS = 15;
const LONG_TITLE_CHARS = 150;

function toArticleTitle(document: DomDocument): string {
  const whole = document.title.trim();
  let title = whole;
  let hierarchical = false;
  if (SEPARATOR.test(whole)) {
    hierarchical = HIERARCHICAL_SEPARATOR.test(whole);
    const last = [...whole.matchAll(new RegExp(SEPARATOR, "g"))].at(-1)?.index ?? whole.length;
    title = whole.slice(0, last);
    if (wordCount(title) < 3) {
      title = whole.replace(/^[^|\-–—\\/>»]*[|\-–—\\/>»]/, "");
    }
  } else if (whole.includes(": ")) {
    title = withoutColonPrefix(document, whole);
  } else if (whole.length > LONG_TITLE_CHARS || whole.length < SHORT_TITLE_CHARS) {
    const headings = Array.from(document.querySelectorAll("h1"));
    if (headings.length === 1) {
      title = headings[0]?.textContent ?? whole;
    }
  }
  title = title.trim().replace(/\s{2,}/g, " ");
  // A title of four words or fewer is too short, unless the rest of a hierarchical title is one word.
  const words = wordCount(title);
  const shortened = words !== wordCount(whole.replace(/[|\-–—\\/>»]+/g, "")) - 1;
  return words <= 4 && (!hierarchical || shortened) ? whole : title;
}

/** A title such as `Site: Title`, unless a heading shows that the colon is the title's own. */
function withoutColonPrefix(document: DomDocument, whole: string): string {
  const headings = Array.from(document.querySelectorAll("h1, h2"));
  if (headings.some((heading) => heading.textContent.trim() === whole)) {
    return whole;
  }
  const last = whole.slice(whole.lastIndexOf(":") + 1);
  if (wordCount(last) < 3) {
    return whole.slice(whole.indexOf(":") + 1);
  }
  return wordCount(whole.slice(0, whole.indexOf(":"))) > 5 ? whole : last;
}

function wordCount(text: string): number {
  return text.split(/\s+/).length;
}
