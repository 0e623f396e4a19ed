/** Longest page URL that is accepted, in characters. */
const MAX_URL_CHARS = 8_192;

/** A page URL from a path segment, or the reason why it is not one. */
export type ParsedContentPath = { readonly url: string } | { readonly reason: string };

/** Decodes the URL of a page exactly once: a page whose own path contains `%20` arrives as `%2520`. */
export function parseContentPath(segment: string): ParsedContentPath {
  if (segment === "") {
    return { reason: "the page URL is missing from the path" };
  }
  if (segment.length > MAX_URL_CHARS) {
    return { reason: `the page URL is longer than ${MAX_URL_CHARS} characters` };
  }
  if (segment.includes("/")) {
    return { reason: "the page URL must be URL-encoded: scheme, colons and slashes too" };
  }
  let url: string;
  try {
    url = decodeURIComponent(segment);
  } catch {
    return { reason: "the page URL is not valid percent-encoding of UTF-8" };
  }
  if (segment.includes(":")) {
    return { reason: "the page URL must be URL-encoded: its colons too" };
  }
  return isAbsoluteHttpUrl(url) ? { url } : { reason: "the path must contain an encoded absolute http or https URL" };
}

/** Whether a text is an absolute http or https URL with a host, without user name and without whitespace around it. */
export function isAbsoluteHttpUrl(text: string): boolean {
  if (text.length > MAX_URL_CHARS || !/^https?:\/\/[^/?#\s@]/i.test(text)) {
    return false;
  }
  if (/[\s\p{Cc}]/u.test(text)) {
    return false;
  }
  const parsed = URL.parse(text);
  return parsed !== null && parsed.hostname !== "" && parsed.username === "" && parsed.password === "";
}

/** The host of a site root: a bare domain (`news.example`), or a root URL (`https://news.example/`). */
export function parseSiteRoot(segment: string): string | null {
  let text: string;
  try {
    text = decodeURIComponent(segment);
  } catch {
    return null;
  }
  const parsed = URL.parse(/^https?:\/\//i.test(text) ? text : `https://${text}`);
  if (parsed === null || text === "" || parsed.search !== "" || parsed.hash !== "") {
    return null;
  }
  return parsed.pathname === "/" && parsed.username === "" ? parsed.host : null;
}
