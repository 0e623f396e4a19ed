/**
 * A small DOM for the conversion of pages. It fills the few gaps that Readability would meet.
 *
 * The project does not load the compiler's DOM types, because they would put `window` and `document` in scope everywhere. This file
 * declares the part of the DOM that it uses.
 */
import { createRequire } from "node:module";

/** The part of a DOM element that the conversion uses. */
export interface DomElement {
  readonly localName: string;
  readonly textContent: string;
  readonly outerHTML: string;
  innerHTML: string;
  readonly parentNode: DomElement | null;
  readonly attributes: ArrayLike<{ readonly name: string; readonly value: string }>;
  getAttribute(name: string): string | null;
  removeAttribute(name: string): void;
  setAttribute(name: string, value: string): void;
  /** `undefined` where the standard has `null`: use `selectFirst`. */
  querySelector(selector: string): DomElement | null | undefined;
  querySelectorAll(selector: string): ArrayLike<DomElement>;
  compareDocumentPosition(other: DomElement): number;
  contains(other: DomElement): boolean;
  remove(): void;
}

/** The part of a DOM document that the conversion uses. */
export interface DomDocument extends DomElement {
  readonly title: string;
  readonly body: DomElement | null;
  readonly documentElement: DomElement | null;
}

interface DominoModule {
  createDocument(html: string, force: boolean): DomDocument;
  readonly impl: { readonly HTMLElement: { readonly prototype: object } };
}

interface DominoDocument {
  byId: Record<string, unknown>;
  delId(id: string, node: unknown): void;
}

let domino: DominoModule | null = null;

/** Parses a page as a browser does, but runs no script. Relative links are relative to `url`. */
export function parseHtml(html: string, url: string): DomDocument {
  domino ??= loadDomino();
  const document = domino.createDocument(html, true);
  for (const property of ["baseURI", "documentURI"]) {
    Object.defineProperty(document, property, { value: baseUrlOf(document, url, property === "baseURI") });
  }
  // The library asserts that an id was registered before it removes the id. An id that was set through an attribute node is not registered.
  const internals = document as unknown as DominoDocument;
  const deleteId = internals.delId;
  Object.defineProperty(document, "delId", {
    value(this: DominoDocument, id: string, node: unknown) {
      if (this.byId[id] !== undefined) {
        deleteId.call(this, id, node);
      }
    },
  });
  return document;
}

/** All elements that a selector finds, as a list that later changes do not affect. */
export function selectAll(root: DomElement, selector: string): DomElement[] {
  return Array.from(root.querySelectorAll(selector));
}

/** The first element that a selector finds. */
export function selectFirst(root: DomElement, selector: string): DomElement | null {
  return root.querySelector(selector) ?? null;
}

/** Whether `second` comes after `first` in the document and is not inside it. */
export function isAfter(first: DomElement, second: DomElement): boolean {
  const DOCUMENT_POSITION_FOLLOWING = 4;
  return (first.compareDocumentPosition(second) & DOCUMENT_POSITION_FOLLOWING) !== 0 && !first.contains(second);
}

/** Whether elements are nested more than `levels` deep. */
export function isDeeperThan(document: DomDocument, levels: number): boolean {
  let level = document.documentElement === null ? [] : [document.documentElement as unknown as ElementChain];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > levels) {
      return true;
    }
    level = level.flatMap((element) => childrenOf(element));
  }
  return false;
}

function baseUrlOf(document: DomDocument, url: string, withBaseElement: boolean): string {
  const href = withBaseElement ? selectFirst(document, "base[href]")?.getAttribute("href") : null;
  return href == null ? url : (URL.parse(href, url)?.href ?? url);
}

/**
 * Loads the DOM and fills two gaps in its prototypes: lists of elements cannot be iterated, and the indexes of an element's `children`
 * are wrong after the tree has changed.
 */
function loadDomino(): DominoModule {
  const loaded = createRequire(import.meta.url)("@mixmark-io/domino") as DominoModule;
  const lists = loaded.createDocument("<p>", true) as unknown as { getElementsByTagName(name: string): object };
  const listPrototype: object = Object.getPrototypeOf(lists.getElementsByTagName("p"));
  if (!(Symbol.iterator in listPrototype)) {
    Object.defineProperty(listPrototype, Symbol.iterator, {
      configurable: true,
      value(this: ArrayLike<unknown> & { item(index: number): unknown }) {
        return Array.from({ length: this.length }, (_, index) => this.item(index))[Symbol.iterator]();
      },
    });
  }
  Object.defineProperty(loaded.impl.HTMLElement.prototype, "children", {
    configurable: true,
    get(this: ElementChain) {
      return childrenOf(this);
    },
  });
  return loaded;
}

interface ElementChain {
  /** `undefined` where the standard has `null`, for elements other than HTML's. */
  readonly firstElementChild: ElementChain | null | undefined;
  readonly nextElementSibling: ElementChain | null | undefined;
}

function childrenOf(element: ElementChain): ElementChain[] {
  const children: ElementChain[] = [];
  for (let child = element.firstElementChild; child; child = child.nextElementSibling) {
    children.push(child);
  }
  return children;
}
