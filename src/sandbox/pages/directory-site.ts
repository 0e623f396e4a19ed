/**
 * A site whose pages are the files of a directory, below `https://<host>/`. Each `.html`, `.htm` and `.md` file is a page under its
 * relative path without the extension. Each directory with a `source.html` is one page under its own path. Links and names with a
 * leading dot are skipped. The `lastMod` is the date of the file, or `modified` in the front matter of a Markdown file.
 *
 * The files may change while the sandbox runs. The first page of the catalog reads the directory again, and so does a request for a
 * page that the site does not know. A request for a known page looks at the file of the page. A page that was given at run time
 * stays until its file changes.
 */

import { type BigIntStats, type Dirent, lstatSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseFrontMatter } from "../convert/front-matter.ts";
import { createFileSource } from "../convert/page-source.ts";
import { messageOf } from "../message-of.ts";
import type { SandboxClock } from "../sandbox-clock.ts";
import { type ListedSite, pageKey } from "./listed-site.ts";
import type { EditableSite, Page } from "./page.ts";

const MAX_PAGES = 100_000;
const MAX_DEPTH = 32;
const PAGE_FILE = /\.(html?|md)$/i;
const DIRECTORY_PAGE = "source.html";

export interface DirectorySiteParts {
  /** The site without its files. */
  readonly site: ListedSite;
  readonly dir: string;
  readonly clock: SandboxClock;
  /** Called when a file is new or has changed, but not for the files that are there at the start. */
  readonly onChange: (page: Page, type: "CREATED" | "UPDATED") => void;
}

interface PageFile {
  readonly url: string;
  readonly path: string;
  /** Another one after each change of the file. */
  readonly stamp: string;
  readonly modifiedMs: number;
}

/** A file with the date that the catalog shows. */
type ListedFile = PageFile & { readonly lastMod: string };

/** @throws Error when the directory cannot be read, or contains no page */
export function createDirectorySite({ site, dir, clock, onChange }: DirectorySiteParts): EditableSite {
  const { host } = site;
  const listed = new Map<string, ListedFile>();
  let wasReadNow = false;

  const list = (file: PageFile): "CREATED" | "UPDATED" | null => {
    const former = listed.get(file.url);
    if (former?.stamp === file.stamp) {
      return null;
    }
    const lastMod = readStatedDate(file.path) ?? new Date(toModifiedAt(file, former, clock)).toISOString();
    listed.set(file.url, { ...file, lastMod });
    const source = createFileSource(file.path, isMarkdown(file.path) ? "markdown" : "html");
    return site.list({ url: file.url, lastMod, source });
  };
  const update = (file: PageFile) => {
    const type = list(file);
    const page = site.find(file.url);
    if (type !== null && page !== undefined) {
      onChange(page, type);
    }
  };
  const remove = (url: string) => {
    listed.delete(url);
    site.remove(url);
  };
  const readAgain = () => {
    // Many pages of one request may be unknown: the directory is read once for them.
    if (wasReadNow) {
      return;
    }
    wasReadNow = true;
    setImmediate(() => {
      wasReadNow = false;
    });
    const found = findFiles(host, dir);
    for (const url of listed.keys()) {
      if (!found.has(url)) {
        remove(url);
      }
    }
    for (const file of found.values()) {
      update(file);
    }
  };
  const lookAt = (file: ListedFile) => {
    const stats = lstatSync(file.path, { bigint: true, throwIfNoEntry: false });
    if (stats?.isFile()) {
      update({ ...file, ...toStamp(stats) });
      return;
    }
    remove(file.url);
    readAgain();
  };

  const files = findFiles(host, dir, { isStart: true });
  if (files.size === 0) {
    throw new Error(`site ${host}: no .html, .htm or .md file in ${dir}`);
  }
  for (const file of files.values()) {
    list(file);
  }

  return {
    host,
    propertyId: site.propertyId,
    get entryCount() {
      return site.entryCount;
    },
    find: (url) => {
      const file = listed.get(url) ?? listed.get(pageKey(url));
      if (file !== undefined) {
        lookAt(file);
      } else if (site.find(url) === undefined && pageKey(url).startsWith(`https://${host}/`)) {
        readAgain();
      }
      return site.find(url);
    },
    entries: (offset, count) => {
      if (offset === 0) {
        readAgain();
      }
      return site.entries(offset, count);
    },
    put: (input) => site.put(input),
    remove: (url) => site.remove(url),
  };
}

/** A file may be replaced by an older one. It has changed all the same, so its date moves on. */
function toModifiedAt({ modifiedMs }: PageFile, former: ListedFile | undefined, clock: SandboxClock): number {
  const at = modifiedMs + clock.offsetMs;
  const formerAt = former === undefined ? Number.NaN : Date.parse(former.lastMod);
  return at <= formerAt ? Math.max(clock.now(), formerAt + 1) : at;
}

function readStatedDate(path: string): string | undefined {
  return isMarkdown(path) ? parseFrontMatter(readFileSync(path, "utf8")).fields.modified : undefined;
}

function isMarkdown(path: string): boolean {
  return path.toLowerCase().endsWith(".md");
}

interface Search {
  readonly host: string;
  readonly isStart: boolean;
  readonly found: Map<string, PageFile>;
}

/** By URL, in the order of their names. Of two files with one URL, the first. */
function findFiles(host: string, dir: string, { isStart } = { isStart: false }): ReadonlyMap<string, PageFile> {
  const found = new Map<string, PageFile>();
  search({ host, isStart, found }, dir, []);
  return found;
}

function search(parts: Search, dir: string, segments: readonly string[]): void {
  const { host, found } = parts;
  if (segments.length > MAX_DEPTH) {
    throw new Error(`site ${host}: ${dir} is more than ${MAX_DEPTH} levels deep`);
  }
  const entries = listDirectory(parts, dir);
  if (segments.length > 0 && entries.some((entry) => entry.isFile() && entry.name === DIRECTORY_PAGE)) {
    add(parts, segments, join(dir, DIRECTORY_PAGE));
    return;
  }
  for (const entry of entries) {
    const path = join(dir, entry.name);
    if (entry.name.startsWith(".")) {
      continue;
    }
    if (entry.isDirectory()) {
      search(parts, path, [...segments, entry.name]);
    } else if (entry.isFile() && PAGE_FILE.test(entry.name)) {
      add(parts, [...segments, entry.name.replace(PAGE_FILE, "")], path);
    }
    if (found.size > MAX_PAGES) {
      throw new Error(`site ${host}: more than ${MAX_PAGES} pages in ${dir}`);
    }
  }
}

function add({ host, found }: Search, segments: readonly string[], path: string): void {
  const url = pageKey(`https://${host}/${segments.map(encodeURIComponent).join("/")}`);
  const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  if (stats !== undefined && !found.has(url)) {
    found.set(url, { url, path, ...toStamp(stats) });
  }
}

function toStamp({ mtimeNs, mtimeMs, size, ino }: BigIntStats): Pick<PageFile, "stamp" | "modifiedMs"> {
  return { stamp: `${mtimeNs} ${size} ${ino}`, modifiedMs: Number(mtimeMs) };
}

/** A directory that is removed while the sandbox runs has no pages. */
function listDirectory({ host, isStart }: Search, dir: string): Dirent[] {
  try {
    const entries = readdirSync(dir, { withFileTypes: true });
    return entries.sort((left, right) => (left.name < right.name ? -1 : 1));
  } catch (cause) {
    if (!isStart && (cause as NodeJS.ErrnoException).code === "ENOENT") {
      return [];
    }
    throw new Error(`site ${host}: ${messageOf(cause)}`, { cause });
  }
}
