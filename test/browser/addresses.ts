/** The addresses that links of pages lead to, one of each shape: what a person reaches from the first page. */

// Also for bench/pages.mjs and the screenshots.
const LINK = /<a [^>]*href="(\/[^"]*|\?[^"]*)"/g;
/** Parts of a path that name one thing of many. */
const NAME = /^(?:run_\w+|\d+|\d{4}-\d\d(?:-\d\d)?|.*[.%:].*)$/;
const MAX_ADDRESSES = 200;
/** One of a shape is read for its links. So many are asked for, to see that they answer. */
const ASKED_OF_SHAPE = 2;

export interface Address {
  readonly path: string;
  /** With `:` in place of what names one thing of many. */
  readonly shape: string;
}

/**
 * @param cookie of a session, or none
 * @throws Error for a link that does not answer 200: a page must not lead there
 */
export async function findAddresses(
  origin: string,
  starts: readonly string[],
  cookie: string | null,
): Promise<readonly Address[]> {
  const found = new Map<string, Address>();
  const asked = new Map<string, Set<string>>();
  const waiting = starts.map((path) => ({ path, from: "the navigation" }));
  for (let next = waiting.shift(); next !== undefined && found.size < MAX_ADDRESSES; next = waiting.shift()) {
    const { path, from } = next;
    const shape = shapeOf(path);
    const others = asked.get(shape) ?? new Set();
    if (others.has(path) || others.size >= ASKED_OF_SHAPE) {
      continue;
    }
    asked.set(shape, others.add(path));
    const answer = await fetch(`${origin}${path}`, {
      headers: { accept: "text/html", "sec-fetch-mode": "navigate", ...(cookie === null ? {} : { cookie }) },
      redirect: "manual",
    });
    const text = await answer.text();
    if (answer.status !== 200) {
      throw new Error(`${from} has a link to ${path}, which answers ${answer.status}`);
    }
    if (found.has(shape) || answer.headers.get("content-type")?.startsWith("text/html") !== true) {
      continue;
    }
    found.set(shape, { path, shape });
    waiting.push(...linksOf(text, path).map((link) => ({ path: link, from: path })));
  }
  return [...found.values()];
}

/** Where the links of a page lead within the service. @param path of the page */
export const linksOf = (text: string, path: string): readonly string[] =>
  [...text.matchAll(LINK)].map(([, address = ""]) => toPath(readHtml(address), path));

/** @param from the page that has the link */
function toPath(address: string, from: string): string {
  const { pathname, search } = new URL(address, `http://service${from}`);
  return pathname + search;
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
