/** Converts the source of a page to the content that is served, at the first request. */

import { readFileSync } from "node:fs";
import { gfm } from "@joplin/turndown-plugin-gfm";
import MarkdownIt from "markdown-it";
import TurndownService from "turndown";
import type { PageSource } from "../pages/listed-site.ts";
import type { PageFormat, PageMetadata, RenderedPage } from "../pages/page.ts";
import { decodeHtml } from "./decode-html.ts";
import { isDeeperThan, parseHtml } from "./dom.ts";
import { extractArticle } from "./extract-article.ts";
import { parseFrontMatter } from "./front-matter.ts";
import { makeInert } from "./inert.ts";
import { readMetadata } from "./page-metadata.ts";
import { plainBody, splitFrame, wholeBody } from "./split-page.ts";

/** Made with the first page that needs them. */
let service: TurndownService | null = null;
let renderer: InstanceType<typeof MarkdownIt> | null = null;

/**
 * Pages nested deeper are served as plain text: the extraction takes cubic time there. Real pages stay below forty levels.
 */
const MAX_DEPTH = 100;

/** Metadata that is given with a page. It replaces what the page itself states. */
export interface MetadataOverride {
  readonly title?: string | undefined;
  readonly author?: string | undefined;
}

/** Reads the file of a page at its first request, so that a large site starts fast. */
export function createFileSource(path: string, kind: "html" | "markdown"): PageSource {
  return (format, url) => {
    const bytes = readFileSync(path);
    return kind === "html"
      ? renderHtml(decodeHtml(bytes), format, url)
      : renderMarkdown(bytes.toString("utf8"), format);
  };
}

export function createHtmlSource(html: string | Uint8Array, override: MetadataOverride = {}): PageSource {
  return (format, url) =>
    withOverride(renderHtml(typeof html === "string" ? html : decodeHtml(html), format, url), override);
}

export function createMarkdownSource(markdown: string, override: MetadataOverride = {}): PageSource {
  return (format) => withOverride(renderMarkdown(markdown, format), override);
}

/** Splits an HTML page into header, body and footer, and reads its metadata. */
export function renderHtml(html: string, format: PageFormat, url: string): RenderedPage {
  const document = parseHtml(html, url);
  const stated = readMetadata(document, url);
  const convert = format === "html" ? (text: string) => text : htmlToMarkdown;
  if (isDeeperThan(document, MAX_DEPTH)) {
    return { header: "", body: convert(plainBody(document)), footer: "", metadata: stated };
  }
  const article = extractArticle(parseHtml(html, url));
  const main = parseHtml(article?.html ?? wholeBody(parseHtml(html, url)), url);
  const frame = splitFrame(document, main.documentElement?.textContent ?? "");
  if (main.body !== null) {
    makeInert(main.body);
  }
  const body = main.body?.innerHTML ?? "";
  const metadata: PageMetadata = {
    ...stated,
    title: article?.title || stated.title,
    author: article?.author || stated.author,
    description: stated.description || (article?.excerpt ?? ""),
    published: stated.published || (article?.published ?? ""),
  };
  return { header: convert(frame.header), body: convert(body), footer: convert(frame.footer), metadata };
}

function renderMarkdown(text: string, format: PageFormat): RenderedPage {
  const { fields, body } = parseFrontMatter(text);
  const heading = /^#[ \t]+(.+?)[ \t]*#*$/m.exec(body)?.[1];
  return {
    header: "",
    body: format === "html" ? markdownToHtml(body) : body.trim(),
    footer: "",
    metadata: {
      author: fields.author ?? "",
      description: fields.description ?? "",
      imageUrl: fields.image ?? "",
      modified: fields.modified ?? "",
      published: fields.published ?? "",
      title: fields.title ?? heading ?? "",
    },
  };
}

function withOverride(page: RenderedPage, { title, author }: MetadataOverride): RenderedPage {
  if (title === undefined && author === undefined) {
    return page;
  }
  const { metadata } = page;
  return { ...page, metadata: { ...metadata, title: title ?? metadata.title, author: author ?? metadata.author } };
}

/** Converts HTML to Markdown with tables. */
function htmlToMarkdown(html: string): string {
  if (html === "") {
    return "";
  }
  service ??= createService();
  return service.turndown(html).trim();
}

function createService(): TurndownService {
  const created = new TurndownService({
    headingStyle: "atx",
    codeBlockStyle: "fenced",
    bulletListMarker: "-",
    emDelimiter: "*",
  });
  created.use(gfm);
  created.remove(["script", "style", "noscript"]);
  return created;
}

/**
 * Converts Markdown to HTML, for pages whose source is Markdown and that are requested as HTML: CommonMark with tables and strikethrough. HTML in
 * the Markdown is shown as text, and a link to a script does not become a link.
 */
function markdownToHtml(markdown: string): string {
  renderer ??= new MarkdownIt({ html: false });
  return renderer.render(markdown).trim();
}
