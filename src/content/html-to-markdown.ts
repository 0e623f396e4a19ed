/**
 * Derives Markdown from a page's HTML, with turndown and its own DOM. The page counts as hostile. Its depth is bounded before
 * anything recurses, links and images are allowed by scheme, no HTML is passed through, and every failure is a value. It has no
 * time limit itself; it runs in a thread that can be ended (`markdown-converter.ts`).
 */
import TurndownService from "turndown";
import type { ConversionFailure, ConversionFault, ConversionOutcome } from "./conversion.ts";
import type { ConversionLimits } from "./conversion-limits.ts";
import { isDeeperThan, parseHtml } from "./dom-node.ts";
import { escapeMarkdown } from "./escape-markdown.ts";
import { createMarkdownRules } from "./markdown-rules.ts";
import { seemsDeeperThan } from "./markup-depth.ts";
import { type PageTree, preparePage } from "./page-tree.ts";

export interface HtmlToMarkdownOptions {
  /** The page's address. Relative links are resolved against it, or against the page's own `<base href>`. */
  readonly baseUrl: string;
  readonly limits: Omit<ConversionLimits, "timeMs">;
}

/** How far the quick scan of the text may overcount (careless markup leaves elements open) before its result counts. */
const SCAN_TOLERANCE = 4;
const DETAIL_MAX_CHARS = 200;

/** Ends a conversion during rendering, before its output fills the memory. */
class OutputTooLarge extends Error {}

/** Converts a page or a fragment of one. Never throws, for any input. */
export function htmlToMarkdown(html: string, { baseUrl, limits }: HtmlToMarkdownOptions): ConversionOutcome {
  const inputBytes = Buffer.byteLength(html);
  if (inputBytes > limits.inputBytes) {
    return fault("input_too_large", `${inputBytes} bytes of HTML, limit ${limits.inputBytes}`);
  }
  if (seemsDeeperThan(html, limits.nestingDepth * SCAN_TOLERANCE)) {
    return tooDeep(limits.nestingDepth);
  }
  try {
    const root = parseHtml(html);
    if (isDeeperThan(root, limits.nestingDepth)) {
      return tooDeep(limits.nestingDepth);
    }
    const markdown = renderMarkdown(preparePage(root, baseUrl), limits.outputBytes);
    const outputBytes = Buffer.byteLength(markdown);
    return outputBytes > limits.outputBytes ? tooLarge(limits.outputBytes) : { ok: true, markdown };
  } catch (error) {
    // A page that is paid for must be settled, even when its HTML breaks a library. The reason is recorded instead.
    if (error instanceof OutputTooLarge) {
      return tooLarge(limits.outputBytes);
    }
    if (error instanceof RangeError && error.message.includes("call stack")) {
      return tooDeep(limits.nestingDepth);
    }
    return fault("conversion_failed", String(error).slice(0, DETAIL_MAX_CHARS));
  }
}

/** One service for each page, because its rules have the page's state. */
function renderMarkdown(page: PageTree, outputBytes: number): string {
  const service = new TurndownService({ hr: "---" });
  service.escape = escapeMarkdown;
  const { rules, restore } = createMarkdownRules(page, (chars) => {
    // A text never has more characters than UTF-8 bytes, so a text that is too long in characters is too large.
    if (chars > outputBytes) {
      throw new OutputTooLarge();
    }
  });
  // Turndown tries the last added rule first.
  for (const [index, rule] of [...rules].reverse().entries()) {
    service.addRule(String(index), rule as never);
  }
  // Turndown copies its input tree. This tree may be changed, and the notes in the WeakMaps belong to exactly these nodes.
  Object.defineProperty(page.root, "cloneNode", { value: () => page.root });
  return restore(service.turndown(page.root as never));
}

function tooDeep(limit: number): ConversionFault {
  return fault("nested_too_deep", `elements nest deeper than ${limit}`);
}

function tooLarge(limit: number): ConversionFault {
  return fault("output_too_large", `more than ${limit} bytes of Markdown`);
}

function fault(reason: ConversionFailure, detail: string): ConversionFault {
  return { ok: false, reason, detail };
}
