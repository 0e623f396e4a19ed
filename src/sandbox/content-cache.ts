import type { Page, PageFormat } from "./pages/page.ts";

/** A rendered page as the beginning of a content answer: everything but `rate` and the closing brace. */
export interface ContentCache {
  /** Renders on the first request. What it cost to render is not kept for ever: the least recently used goes first. */
  contentPrefix(page: Page, format: PageFormat): Buffer;
}

interface Cached {
  readonly version: number;
  readonly prefix: Buffer;
}

/** A page's prefix that is larger than this part of the cache is not kept at all. */
const LARGEST_SHARE = 0.25;

export function createContentCache(maxBytes: number): ContentCache {
  const cached = new Map<string, Cached>();
  let bytes = 0;

  const evict = () => {
    for (const [key, oldest] of cached) {
      if (bytes <= maxBytes) return;
      cached.delete(key);
      bytes -= oldest.prefix.length;
    }
  };

  return {
    contentPrefix: (page, format) => {
      const key = format === "html" ? `h${page.url}` : page.url;
      const found = cached.get(key);
      if (found !== undefined) {
        cached.delete(key);
        if (found.version === page.version) {
          cached.set(key, found);
          return found.prefix;
        }
        bytes -= found.prefix.length;
      }
      const { header, body, footer, metadata } = page.render(format);
      const json = JSON.stringify({ content: { header, body, footer }, metadata });
      const prefix = Buffer.from(json.slice(0, -1));
      if (prefix.length <= maxBytes * LARGEST_SHARE) {
        cached.set(key, { version: page.version, prefix });
        bytes += prefix.length;
        evict();
      }
      return prefix;
    },
  };
}
