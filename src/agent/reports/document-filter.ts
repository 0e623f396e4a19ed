/** Which stored documents are read. Several conditions must all be met. */
export interface DocumentFilter {
  /** Only documents of this site. */
  readonly site?: string;
  /** Another name of `site`. */
  readonly host?: string;
  /**
   * Only documents that were stored at this instant or later: a `Date`, epoch ms, or ISO 8601 (`"2026-11-22"`, `"2026-11-22T06:00:00Z"`;
   * UTC where nothing else is said).
   */
  readonly since?: Date | number | string;
  /**
   * Only what this run bought, by its id: each document as the run bought it, also where a newer version is stored by now.
   * @throws LicetError RUN_NOT_FOUND
   */
  readonly run?: string;
  /** Derives Markdown for pages that were bought as HTML only. The Markdown is not stored. @default false */
  readonly deriveMarkdown?: boolean;
}
