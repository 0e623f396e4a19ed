import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { ListedPage, PageSource } from "./listed-site.ts";

/** Entries read from one sitemap directory at most. */
const MAX_ENTRIES = 200_000;

/**
 * The entries of every sitemap in a directory, files in name order. Texts are not changed: an entry may have no date, an equal or an
 * unusual date, or be listed twice. Sitemap indexes are skipped, because the sitemaps that they name are in the same directory. A search for
 * the two elements is enough, because this reads test sites and not the web.
 *
 * @throws Error when the directory cannot be read or contains no entry.
 */
export async function loadSitemapPages(host: string, dir: string): Promise<ListedPage[]> {
  const names = (await readdir(dir)).filter((name) => name.endsWith(".xml")).sort();
  const pages: ListedPage[] = [];
  for (const name of names) {
    for (const page of parseSitemap(await readFile(join(dir, name), "utf8"))) {
      if (pages.length < MAX_ENTRIES) {
        pages.push(page);
      }
    }
  }
  if (pages.length === 0) {
    throw new Error(`site ${host}: no sitemap entries in ${dir}`);
  }
  return pages;
}

/** The entries of one sitemap. */
export function parseSitemap(xml: string): ListedPage[] {
  const pages: ListedPage[] = [];
  const plain = xml.replace(/<!--[\s\S]*?-->/g, "");
  for (const [, entry = ""] of plain.matchAll(/<url(?:\s[^>]*)?>([\s\S]*?)<\/url>/g)) {
    const loc = elementText(entry, "loc");
    if (loc === undefined || loc === "") {
      continue;
    }
    pages.push({
      url: loc,
      lastMod: elementText(entry, "lastmod") ?? elementText(entry, "news:publication_date"),
      source: createEntrySource(elementText(entry, "news:title")),
    });
  }
  return pages;
}

function elementText(xml: string, name: string): string | undefined {
  const match = new RegExp(`<${name}(?:\\s[^>]*)?>([\\s\\S]*?)</${name}>`).exec(xml);
  const text = match?.[1]?.trim();
  if (text === undefined) {
    return undefined;
  }
  const cdata = /^<!\[CDATA\[([\s\S]*)\]\]>$/.exec(text);
  return cdata === null ? decodeEntities(text) : (cdata[1] ?? "").trim();
}

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

function decodeEntities(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([0-9a-fA-F]{1,6})|(amp|lt|gt|quot|apos));/g, (whole, decimal, hex, name) => {
    if (name !== undefined) {
      return ENTITIES[name] ?? whole;
    }
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}

/** A short readable page from the data of a sitemap: a title, or the end of the path. */
function createEntrySource(newsTitle: string | undefined): PageSource {
  return (format, url) => {
    const title = newsTitle ?? titleFromUrl(url);
    const text = `This page stands for ${url} in the sandbox. Its sitemap entry is real, its text is not.`;
    const toHtml = (value: string) => value.replace(/&/g, "&amp;").replace(/</g, "&lt;");
    return {
      header: format === "html" ? "<nav>Home</nav>" : "Home",
      body: format === "html" ? `<h1>${toHtml(title)}</h1><p>${toHtml(text)}</p>` : `# ${title}\n\n${text}`,
      footer: format === "html" ? "<footer>Terms</footer>" : "Terms",
      metadata: { author: "", description: "", imageUrl: "", modified: "", published: "", title },
    };
  };
}

function titleFromUrl(url: string): string {
  const last =
    url
      .split(/[?#]/, 1)[0]
      ?.split("/")
      .filter((part) => part !== "")
      .at(-1) ?? url;
  try {
    return decodeURIComponent(last).replaceAll("-", " ");
  } catch {
    return last;
  }
}
