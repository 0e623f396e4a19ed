/**
 * The path of a canonical page URL without its query. Globs of rules and sites match it. A canonical URL always has a path and
 * never a fragment, so no second parse is needed.
 */
export function pathOfUrl(url: string): string {
  const start = url.indexOf("/", url.indexOf("://") + 3);
  const query = url.indexOf("?", start);
  return query === -1 ? url.slice(start) : url.slice(start, query);
}

/**
 * The part of a site that a page belongs to: its address up to the end of the first path segment. Forbidden pages and different
 * prices usually concern one part.
 */
export function partOfUrl(url: string): string {
  const path = url.indexOf("/", url.indexOf("://") + 3);
  const end = url.slice(path + 1).search(/[/?]/);
  return end === -1 ? url : url.slice(0, path + 1 + end);
}
