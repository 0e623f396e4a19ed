/** The entries of sitemaps as pages of a sandbox, so that catalogs have the addresses and dates of sites that exist. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { PageInput } from "../../src/sandbox/pages/page.ts";

const ENTITIES: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&apos;": "'",
};

/**
 * The entries of every sitemap in a directory, files in name order, with their texts unchanged: an entry may have no date or an unusual one,
 * or be listed twice. An index of sitemaps has no entries.
 */
export function readSitemaps(dir: string): PageInput[] {
  const names = readdirSync(dir)
    .filter((name) => name.endsWith(".xml"))
    .sort();
  return names.flatMap((name) => parseSitemap(readFileSync(join(dir, name), "utf8")));
}

function parseSitemap(xml: string): PageInput[] {
  const plain = xml.replace(/<!--[\s\S]*?-->/g, "");
  return [...plain.matchAll(/<url(?:\s[^>]*)?>([\s\S]*?)<\/url>/g)].flatMap(([, entry = ""]) => {
    const url = elementText(entry, "loc");
    const lastMod = elementText(entry, "lastmod") ?? elementText(entry, "news:publication_date") ?? null;
    return url === undefined || url === "" ? [] : [{ url, lastMod }];
  });
}

function elementText(xml: string, name: string): string | undefined {
  const text = new RegExp(`<${name}(?:\\s[^>]*)?>([\\s\\S]*?)</${name}>`).exec(xml)?.[1]?.trim();
  const literal = text === undefined ? null : /^<!\[CDATA\[([\s\S]*)\]\]>$/.exec(text);
  return literal === null ? text?.replace(/&\w+;/g, (entity) => ENTITIES[entity] ?? entity) : literal[1]?.trim();
}
