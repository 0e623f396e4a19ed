/**
 * The input and output types of a conversion. The HTML that was paid for is always stored beside derived Markdown, so a failed
 * conversion loses nothing.
 */

/** The sections of a page as the gateway sent them, empty for a missing section. */
export interface ContentSections {
  readonly header: string;
  readonly body: string;
  readonly footer: string;
}

/** Why no Markdown was derived. The reason is recorded with the page, and the page is never lost. */
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
  /** One line for a person: the limit and the measured value. Never text of the page. */
  readonly detail: string;
}

/** The result of one conversion: a value, never an exception. */
export type ConversionOutcome = { readonly ok: true; readonly markdown: string } | ConversionFault;
