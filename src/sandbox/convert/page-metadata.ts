import type { PageMetadata } from "../pages/page.ts";
import { type DomDocument, selectAll, selectFirst } from "./dom.ts";

/** Metadata that a page states about itself; empty where it does not. Dates are kept as written. */
export function readMetadata(document: DomDocument, url: string): PageMetadata {
  const meta = readMetaTags(document);
  const linked = readLinkedData(document);
  const first = (...names: string[]) => names.map((name) => meta.get(name)).find((value) => value !== undefined) ?? "";
  const image = first("og:image", "og:image:url", "twitter:image", "twitter:image:src") || linked.image;
  return {
    title: first("og:title", "twitter:title", "dc.title", "title") || document.title.trim(),
    author: first("author", "dc.creator", "article:author"),
    description: first("description", "og:description", "twitter:description", "dc.description"),
    imageUrl: toAbsolute(image, url),
    published:
      first(
        "article:published_time",
        "datepublished",
        "dc.date",
        "dc.date.issued",
        "date",
        "pubdate",
        "parsely-pub-date",
      ) ||
      linked.published ||
      timeElement(document),
    modified: first("article:modified_time", "og:updated_time", "datemodified", "last-modified") || linked.modified,
  };
}

/** Name or property, in lower case, to the first content given for it. */
function readMetaTags(document: DomDocument): ReadonlyMap<string, string> {
  const tags = new Map<string, string>();
  for (const tag of selectAll(document, "meta")) {
    const content = tag.getAttribute("content")?.trim();
    if (content === undefined || content === "") continue;
    const names = `${tag.getAttribute("property") ?? ""} ${tag.getAttribute("name") ?? ""} ${tag.getAttribute("itemprop") ?? ""}`;
    for (const name of names.toLowerCase().split(/\s+/)) {
      if (name !== "" && !tags.has(name)) tags.set(name, content);
    }
  }
  return tags;
}

interface LinkedData {
  readonly published: string;
  readonly modified: string;
  readonly image: string;
}

/** JSON-LD: the first object with a publication date. */
function readLinkedData(document: DomDocument): LinkedData {
  for (const script of selectAll(document, 'script[type="application/ld+json"]')) {
    let data: unknown;
    try {
      data = JSON.parse(script.textContent.replace(/^\s*<!\[CDATA\[|\]\]>\s*$/g, ""));
    } catch {
      continue;
    }
    const graph = isRecord(data) && Array.isArray(data["@graph"]) ? data["@graph"] : data;
    for (const node of Array.isArray(graph) ? graph : [graph]) {
      if (!isRecord(node) || typeof node.datePublished !== "string") continue;
      const image = Array.isArray(node.image) ? node.image[0] : node.image;
      return {
        published: node.datePublished,
        modified: typeof node.dateModified === "string" ? node.dateModified : "",
        image: typeof image === "string" ? image : isRecord(image) && typeof image.url === "string" ? image.url : "",
      };
    }
  }
  return { published: "", modified: "", image: "" };
}

function timeElement(document: DomDocument): string {
  const element = selectFirst(document, "time[pubdate]") ?? selectFirst(document, "article time[datetime]");
  return element?.getAttribute("datetime")?.trim() ?? "";
}

function toAbsolute(reference: string, url: string): string {
  if (reference === "") return "";
  try {
    return new URL(reference, url).href;
  } catch {
    return "";
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
