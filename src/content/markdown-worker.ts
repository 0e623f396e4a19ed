/** The thread's side of `markdown-converter.ts`: one page in, one outcome out. */

import type { ConversionOutcome } from "./conversion.ts";
import type { ConversionLimits } from "./conversion-limits.ts";
import { htmlToMarkdown } from "./html-to-markdown.ts";

export interface ConversionTask {
  readonly html: string;
  readonly baseUrl: string;
  readonly limits: ConversionLimits;
}

export function convertPage({ html, baseUrl, limits }: ConversionTask): ConversionOutcome {
  return htmlToMarkdown(html, { baseUrl, limits });
}
