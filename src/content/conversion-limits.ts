/** Limits of one conversion. Above any of them the HTML is stored and the reason recorded. */
export interface ConversionLimits {
  /** UTF-8 bytes of HTML input. */
  readonly inputBytes: number;
  /** Elements inside one another, `html` and `body` included. */
  readonly nestingDepth: number;
  /** UTF-8 bytes of Markdown output. */
  readonly outputBytes: number;
  /** The time of a conversion in its thread. Only the converter can enforce it, because it can end the thread. */
  readonly timeMs: number;
}

/** Pages converted at the same time. */
export const DEFAULT_THREADS = 2;

export const DEFAULT_CONVERSION_LIMITS: ConversionLimits = {
  // Large real pages (encyclopedia articles with all their scripts) stay below 2 MB.
  inputBytes: 5_000_000,
  // Real pages reach about 40. Turndown and its DOM recurse once or more per level, and list indents grow with it.
  nestingDepth: 256,
  // Markdown of a normal page is smaller than its HTML. Only deep indents and wide tables make it larger.
  outputBytes: 5_000_000,
  // About 0.3 ms per kB: a normal page at the input limit needs 2 s on a slow machine.
  timeMs: 10_000,
};
