import { type Dirent, readFileSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { parseFrontMatter } from "../convert/front-matter.ts";
import { createFileSource } from "../convert/page-source.ts";
import type { ListedPage } from "./listed-site.ts";

const MAX_PAGES = 100_000;
const MAX_DEPTH = 32;
const PAGE_FILE = /\.(html?|md)$/i;
const DIRECTORY_PAGE = "source.html";

/**
 * The pages of a directory, below `https://<host>/`. Each `.html`, `.htm` and `.md` file is a page under its relative path without the
 * extension. Each directory with a `source.html` is one page under its own path. Links and names with a leading dot are skipped. The
 * `lastMod` is the date of the file, or `modified` in the front matter of a Markdown file.
 *
 * @throws Error when the directory cannot be read, or contains no page.
 */
export async function loadDirectoryPages(host: string, dir: string): Promise<ListedPage[]> {
  const pages: ListedPage[] = [];
  await scan({ host, dir, segments: [], pages });
  if (pages.length === 0) {
    throw new Error(`site ${host}: no .html, .htm or .md file in ${dir}`);
  }
  return pages;
}

interface Scan {
  readonly host: string;
  readonly dir: string;
  readonly segments: readonly string[];
  readonly pages: ListedPage[];
}

async function scan({ host, dir, segments, pages }: Scan): Promise<void> {
  if (segments.length > MAX_DEPTH) {
    throw new Error(`site ${host}: ${dir} is more than ${MAX_DEPTH} levels deep`);
  }
  const entries = await listDirectory(host, dir);
  if (segments.length > 0 && entries.some((entry) => entry.isFile() && entry.name === DIRECTORY_PAGE)) {
    pages.push(await toPage(host, segments, join(dir, DIRECTORY_PAGE)));
    return;
  }
  for (const entry of entries) {
    const path = join(dir, entry.name);
    if (entry.name.startsWith(".")) {
      continue;
    }
    if (entry.isDirectory()) {
      await scan({ host, dir: path, segments: [...segments, entry.name], pages });
    } else if (entry.isFile() && PAGE_FILE.test(entry.name)) {
      pages.push(await toPage(host, [...segments, entry.name.replace(PAGE_FILE, "")], path));
    }
    if (pages.length > MAX_PAGES) {
      throw new Error(`site ${host}: more than ${MAX_PAGES} pages in ${dir}`);
    }
  }
}

async function listDirectory(host: string, dir: string): Promise<Dirent[]> {
  try {
    const entries = await readdir(dir, { withFileTypes: true });
    return entries.sort((left, right) => (left.name < right.name ? -1 : 1));
  } catch (cause) {
    throw new Error(`site ${host}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}

async function toPage(host: string, segments: readonly string[], path: string): Promise<ListedPage> {
  const isMarkdown = path.toLowerCase().endsWith(".md");
  const stated = isMarkdown ? parseFrontMatter(readFileSync(path, "utf8")).fields.modified : undefined;
  return {
    url: `https://${host}/${segments.map(encodeURIComponent).join("/")}`,
    lastMod: stated ?? (await stat(path)).mtime.toISOString(),
    source: createFileSource(path, isMarkdown ? "markdown" : "html"),
  };
}
