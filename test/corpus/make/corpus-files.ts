import type { CorpusPage } from "./corpus-page.ts";
import { encodeText } from "./encode-text.ts";
import { BROKEN_PAGES } from "./pages-broken.ts";
import { LANGUAGE_PAGES } from "./pages-languages.ts";
import { PROSE_PAGES } from "./pages-prose.ts";
import { STRUCTURE_PAGES } from "./pages-structure.ts";
import { listSitemaps } from "./sitemaps.ts";

export interface CorpusFile {
  /** From `test/corpus`. */
  readonly path: string;
  readonly bytes: Buffer;
}

const PAGES = [...PROSE_PAGES, ...STRUCTURE_PAGES, ...LANGUAGE_PAGES, ...BROKEN_PAGES];

export function listCorpusFiles(): readonly CorpusFile[] {
  const sitemaps = listSitemaps().map(({ site, name, text }) => ({
    path: `sitemaps/${site}/${name}`,
    bytes: Buffer.from(text),
  }));
  return [...PAGES.flatMap(toFiles), ...sitemaps];
}

function toFiles({ slug, frame, article, encoding = "utf-8", declared, expected }: CorpusPage): readonly CorpusFile[] {
  const { byline, lang, dir = null } = article;
  const title = article.title.replaceAll("&amp;", "&");
  const metadata = { title, byline, lang, dir, encoding };
  return [
    { path: `articles/${slug}/source.html`, bytes: encodeText(frame(article, declared ?? encoding), encoding) },
    { path: `articles/${slug}/expected.html`, bytes: Buffer.from(`${expected ?? article.main}\n`) },
    { path: `articles/${slug}/metadata.json`, bytes: Buffer.from(`${JSON.stringify(metadata, null, 2)}\n`) },
  ];
}
