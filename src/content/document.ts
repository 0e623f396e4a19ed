/**
 * What licet holds of a page, as plain JSON: the sections and metadata the gateway sent (gateway-spec § Resources),
 * and, where the policy's format is `both`, the Markdown derived from the HTML that was paid for.
 * The HTML is always kept beside a derived Markdown, so a conversion that fails costs nothing that cannot be had again.
 */

/** `both` fetches HTML once and derives Markdown locally: one charge, two forms. */
export type ContentFormat = "markdown" | "html" | "both";

/** The sections of a page as the gateway sent them, empty where it sent none. */
export interface ContentSections {
  readonly header: string;
  readonly body: string;
  readonly footer: string;
}

/** Article metadata as sent; dates stay raw text, since their format is not specified. Null where absent. */
export interface PageMetadata {
  readonly author: string | null;
  readonly description: string | null;
  readonly imageUrl: string | null;
  readonly modified: string | null;
  readonly published: string | null;
  readonly title: string | null;
}

/** Why no Markdown was derived. Each is recorded with the page; none of them loses it. */
export type ConversionFailure =
  | "input_too_large"
  | "nested_too_deep"
  | "output_too_large"
  | "timed_out"
  | "worker_failed"
  | "queue_full"
  | "closed"
  | "conversion_failed";

export interface ConversionFault {
  readonly ok: false;
  readonly reason: ConversionFailure;
  /** One line for a person: the limit and what was met. Never text of the page. */
  readonly detail: string;
}

/** The answer to one conversion: a value, never an exception. */
export type ConversionOutcome = { readonly ok: true; readonly markdown: string } | ConversionFault;

/** What is recorded of a conversion; the Markdown itself is kept once, in the document. */
export type ConversionRecord = { readonly ok: true } | ConversionFault;

export interface HeldDocument {
  readonly url: string;
  readonly format: ContentFormat;
  /** The body in Markdown: as the gateway gave it, or derived; null for `html` alone and when a conversion failed. */
  readonly markdown: string | null;
  /** The body in HTML, untouched; null when Markdown was fetched. */
  readonly html: string | null;
  /** Header and footer in the form they came in. */
  readonly header: string;
  readonly footer: string;
  readonly metadata: PageMetadata;
  /** `hashContent` of the sections as fetched, so `html` and `both` of one page have the same hash. */
  readonly contentHash: string;
  /** Null when nothing had to be converted. */
  readonly conversion: ConversionRecord | null;
}
