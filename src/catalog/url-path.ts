/**
 * The path of a canonical page URL, without its query: what the globs of rules and sites look at.
 * A canonical URL always has a path and never a fragment, so this needs no second parse.
 */
export function pathOfUrl(url: string): string {
  const start = url.indexOf("/", url.indexOf("://") + 3);
  const query = url.indexOf("?", start);
  return query === -1 ? url.slice(start) : url.slice(start, query);
}
