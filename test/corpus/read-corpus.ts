/**
 * The pages and sitemaps that tests read: those of this folder, which are written for it, and, where they lie beside the project, real
 * ones, which are not ours to publish.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const OUTSIDE = join(import.meta.dirname, "../../../shared/corpus");

export interface CorpusFolder {
  readonly corpus: "written" | "real";
  /** Its folder, absolute. */
  readonly dir: string;
  readonly names: readonly string[];
}

/** What is expected of a page. */
export interface ArticleMetadata {
  readonly title: string;
  readonly byline: string | null;
  /** What its bytes are; real pages were stored as UTF-8. */
  readonly encoding?: string;
}

/** Folders of pages: one folder a page, with `source.html`, `expected.html` and `metadata.json`. */
export function listArticleFolders(): readonly CorpusFolder[] {
  return listFolders("articles");
}

/** Folders of sites: one folder a site, with its sitemaps. */
export function listSitemapFolders(): readonly CorpusFolder[] {
  return listFolders("sitemaps");
}

export function readMetadata({ dir }: CorpusFolder, name: string): ArticleMetadata {
  return JSON.parse(readFileSync(join(dir, name, "metadata.json"), "utf8"));
}

/** `source.html` as a text. */
export function readSource(folder: CorpusFolder, name: string): string {
  const { encoding = "utf-8" } = readMetadata(folder, name);
  return new TextDecoder(encoding).decode(readFileSync(join(folder.dir, name, "source.html")));
}

/** The article's HTML, which is UTF-8 always. */
export function readExpected({ dir }: CorpusFolder, name: string): string {
  return readFileSync(join(dir, name, "expected.html"), "utf8");
}

function listFolders(kind: "articles" | "sitemaps"): readonly CorpusFolder[] {
  const written = readFolder("written", join(import.meta.dirname, kind));
  return existsSync(OUTSIDE) ? [written, readFolder("real", join(OUTSIDE, kind))] : [written];
}

function readFolder(corpus: CorpusFolder["corpus"], dir: string): CorpusFolder {
  const entries = readdirSync(dir, { withFileTypes: true });
  return { corpus, dir, names: entries.flatMap((entry) => (entry.isDirectory() ? [entry.name] : [])).sort() };
}
