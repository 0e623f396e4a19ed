import type { Page, PageFormat, RenderedPage } from "./page.ts";

/** A rendered page as the beginning of a content answer: everything but `rate` and the closing brace. */
export interface ContentCache {
  /** Renders on the first request. The cache is bounded: the least recently used rendering is removed first. */
  contentPrefix(page: Page, format: PageFormat): string;
}

interface Cached {
  readonly version: number;
  readonly prefix: string;
}

/** A page's prefix that is larger than this part of the cache is not stored. */
const LARGEST_SHARE = 0.25;

export function createContentCache(maxBytes: number): ContentCache {
  const cached = new Map<string, Cached>();
  let chars = 0;

  const evict = () => {
    for (const [key, oldest] of cached) {
      if (chars <= maxBytes) {
        return;
      }
      cached.delete(key);
      chars -= oldest.prefix.length;
    }
  };

  return {
    contentPrefix: (page, format) => {
      if (page.contentPrefix !== undefined) {
        return page.contentPrefix(format);
      }
      const key = format === "html" ? `h${page.url}` : page.url;
      const found = cached.get(key);
      if (found !== undefined) {
        cached.delete(key);
        if (found.version === page.version) {
          cached.set(key, found);
          return found.prefix;
        }
        chars -= found.prefix.length;
      }
      const prefix = toContentPrefix(page.render(format));
      if (prefix.length <= maxBytes * LARGEST_SHARE) {
        cached.set(key, { version: page.version, prefix });
        chars += prefix.length;
        evict();
      }
      return prefix;
    },
  };
}

/** A content answer without `rate` and without its closing brace. */
function toContentPrefix({ header, body, footer, metadata }: RenderedPage): string {
  return JSON.stringify({ content: { header, body, footer }, metadata }).slice(0, -1);
}
