import { hashContent } from "./content-hash.ts";
import type { ContentFormat, ContentSections, ConversionOutcome, HeldDocument, PageMetadata } from "./document.ts";

interface FetchedContent {
  readonly url: string;
  readonly format: ContentFormat;
  readonly sections: ContentSections;
  readonly metadata: PageMetadata;
  /** The outcome of deriving Markdown, or null where none was asked for. */
  readonly conversion: ConversionOutcome | null;
}

/** Builds the document to hold from what was fetched and, for HTML, how its conversion went. */
export function toHeldDocument(fetched: FetchedContent): HeldDocument {
  const { url, format, sections, metadata, conversion } = fetched;
  const fetchedMarkdown = format === "markdown" ? sections.body : null;
  return {
    url,
    format,
    markdown: conversion?.ok ? conversion.markdown : fetchedMarkdown,
    html: format === "markdown" ? null : sections.body,
    header: sections.header,
    footer: sections.footer,
    metadata,
    contentHash: hashContent(sections),
    conversion: conversion?.ok ? { ok: true } : conversion,
  };
}
