import { createDocument } from "@mixmark-io/domino";

/** The part of the DOM that the conversion uses. Names are upper-case for HTML elements, and as written for SVG and MathML. */
export interface DomNode {
  readonly nodeType: number;
  readonly nodeName: string;
  readonly parentNode: DomNode | null;
  readonly firstChild: DomNode | null;
  readonly nextSibling: DomNode | null;
  readonly lastElementChild: DomNode | null;
  readonly textContent: string;
  /** The characters of a text node. */
  data: string;
  getAttribute(name: string): string | null;
  removeChild(child: DomNode): DomNode;
}

export const ELEMENT_NODE = 1;
export const TEXT_NODE = 3;

/**
 * Parses HTML as a browser would. Scripts never run.
 * @throws RangeError for markup so deep that the parser's own recursion fails; check the depth of the text first
 */
export function parseHtml(html: string): DomNode {
  return (createDocument(html, true) as { documentElement: DomNode }).documentElement;
}

/** The next node in document order inside `root`, or null at its end. `skipChildren` skips the node's descendants. */
export function nextNode(node: DomNode, root: DomNode, skipChildren = false): DomNode | null {
  if (!skipChildren && node.firstChild !== null) {
    return node.firstChild;
  }
  for (let at: DomNode | null = node; at !== null && at !== root; at = at.parentNode) {
    if (at.nextSibling !== null) {
      return at.nextSibling;
    }
  }
  return null;
}

/** True when `root` has a descendant element with one of these names. */
export function containsAny(root: DomNode, names: ReadonlySet<string>): boolean {
  for (let node = nextNode(root, root); node !== null; node = nextNode(node, root)) {
    if (names.has(node.nodeName)) {
      return true;
    }
  }
  return false;
}

/** True when an element is more than `max` levels deep; `root` is level 1. It does not recurse, so any depth is safe. */
export function isDeeperThan(root: DomNode, max: number): boolean {
  let node = root;
  let depth = 1;
  for (;;) {
    if (depth > max && node.nodeType === ELEMENT_NODE) {
      return true;
    }
    if (node.firstChild !== null) {
      node = node.firstChild;
      depth += 1;
      continue;
    }
    while (node !== root && node.nextSibling === null) {
      node = node.parentNode as DomNode;
      depth -= 1;
    }
    if (node === root) {
      return false;
    }
    node = node.nextSibling as DomNode;
  }
}
