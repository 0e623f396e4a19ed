/** The addresses that links of pages lead to, one of each shape: what a person reaches from the first page. */

// Also for bench/pages.mjs and the screenshots.
const LINK = /<a [^>]*href="(\/[^"]*)"/g;
/** Parts of a path that name one thing of many. */
const NAME = /^(?:run_\w+|\d+|\d{4}-\d\d(?:-\d\d)?|.*[.%:].*)$/;
const MAX_ADDRESSES = 200;

export interface Address {
  readonly path: string;
  /** With `:` in place of what names one thing of many. */
  readonly shape: string;
}

/** @param cookie of a session, or none */
export async function findAddresses(
  origin: string,
  starts: readonly string[],
  cookie: string | null,
): Promise<readonly Address[]> {
  const found = new Map<string, Address>();
  const waiting = [...starts];
  for (let path = waiting.shift(); path !== undefined && found.size < MAX_ADDRESSES; path = waiting.shift()) {
    const shape = shapeOf(path);
    if (found.has(shape)) {
      continue;
    }
    const answer = await fetch(`${origin}${path}`, {
      headers: { accept: "text/html", "sec-fetch-mode": "navigate", ...(cookie === null ? {} : { cookie }) },
      redirect: "manual",
    });
    const text = await answer.text();
    if (!answer.ok || answer.headers.get("content-type")?.startsWith("text/html") !== true) {
      continue;
    }
    found.set(shape, { path, shape });
    waiting.push(...[...text.matchAll(LINK)].map(([, address = ""]) => readHtml(address)));
  }
  return [...found.values()];
}

/** The first rows and those that follow are two shapes, and so is what a filter leaves of them. */
function shapeOf(path: string): string {
  const { pathname, searchParams } = new URL(path, "http://service");
  const parts = pathname.split("/").map((part) => (NAME.test(part) ? ":" : part));
  const asked = searchParams.has("cursor") ? "?cursor" : searchParams.size > 0 ? "?filter" : "";
  return `${parts.join("/")}${asked}`;
}

const readHtml = (text: string): string =>
  text
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");
