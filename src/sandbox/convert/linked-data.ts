/** Reads the metadata in a page's JSON-LD. */
import { type DomDocument, selectAll } from "./dom.ts";

export interface LinkedData {
  readonly author: string;
  readonly published: string;
  readonly modified: string;
  readonly image: string;
}

type Node = Readonly<Record<string, unknown>>;

const MAX_NODES = 2_000;

/** Reads every block: a block may be a node, a list of them, or a graph; nodes may refer to each other by `@id`. */
export function readLinkedData(document: DomDocument): LinkedData {
  const nodes = selectAll(document, 'script[type="application/ld+json"]').flatMap(({ textContent }) =>
    toNodes(parseOrNull(textContent)),
  );
  const byId = new Map(
    nodes.flatMap((node) => (typeof node["@id"] === "string" ? [[node["@id"], node] as const] : [])),
  );
  const dated = nodes.find((node) => typeof node.datePublished === "string");
  const authored = dated?.author === undefined ? nodes.find((node) => node.author !== undefined) : dated;
  const image = Array.isArray(dated?.image) ? dated.image[0] : dated?.image;
  return {
    author: namesOf(authored?.author, byId).join(", "),
    published: textOf(dated?.datePublished),
    modified: textOf(dated?.dateModified),
    image: isNode(image) ? textOf(image.url) : textOf(image),
  };
}

function toNodes(data: unknown): readonly Node[] {
  const found: Node[] = [];
  const waiting = [data];
  while (waiting.length > 0 && found.length < MAX_NODES) {
    const next = waiting.shift();
    if (Array.isArray(next)) {
      waiting.unshift(...next.slice(0, MAX_NODES));
    } else if (isNode(next)) {
      found.push(next);
      waiting.unshift(next["@graph"]);
    }
  }
  return found;
}

/** A person is a text, a node with a name, a reference to one, or a list of these. */
function namesOf(author: unknown, byId: ReadonlyMap<string, Node>): readonly string[] {
  const names = (Array.isArray(author) ? author : [author]).map((one: unknown) => {
    if (!isNode(one)) {
      return textOf(one);
    }
    const id = one["@id"];
    return textOf(one.name) || (typeof id === "string" ? textOf(byId.get(id)?.name) : "");
  });
  return [...new Set(names.filter((name) => name !== ""))];
}

function parseOrNull(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\s*<!\[CDATA\[|\]\]>\s*$/g, ""));
  } catch {
    return null;
  }
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value.trim() : "";
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
