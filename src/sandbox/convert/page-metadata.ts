import type { PageMetadata } from "../pages/page.ts";
import { type DomDocument, selectAll, selectFirst } from "./dom.ts";
import { readLinkedData } from "./linked-data.ts";

/** Metadata that a page states about itself; empty where it does not. Dates stay as they are written. */
export function readMetadata(document: DomDocument, url: string): PageMetadata {
  const meta = readMetaTags(document);
  const linked = readLinkedData(document);
  const first = (...names: string[]) => names.map((name) => meta.get(name)).find((value) => value !== undefined) ?? "";
  const image = first("og:image", "og:image:url", "twitter:image", "twitter:image:src") || linked.image;
  return {
    title: first("og:title", "twitter:title", "dc.title", "title") || document.title.trim(),
    author: first("author", "dc.creator", "article:author") || linked.author,
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
    if (content === undefined || content === "") {
      continue;
    }
    const names = `${tag.getAttribute("property") ?? ""} ${tag.getAttribute("name") ?? ""} ${tag.getAttribute("itemprop") ?? ""}`;
    for (const name of names.toLowerCase().split(/\s+/)) {
      if (name !== "" && !tags.has(name)) {
        tags.set(name, content);
      }
    }
  }
  return tags;
}

function timeElement(document: DomDocument): string {
  const element = selectFirst(document, "time[pubdate]") ?? selectFirst(document, "article time[datetime]");
  return element?.getAttribute("datetime")?.trim() ?? "";
}

function toAbsolute(reference: string, url: string): string {
  return reference === "" ? "" : (URL.parse(reference, url)?.href ?? "");
}
