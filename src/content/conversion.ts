/**
 * What conversion works on and answers with. The HTML that was paid for is always kept beside a derived Markdown, so a
 * conversion that fails costs nothing that cannot be had again.
 */

/** The sections of a page as the gateway sent them, empty where it sent none (gateway-spec § Content response). */
export interface ContentSections {
  readonly header: string;
  readonly body: string;
  readonly footer: string;
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
