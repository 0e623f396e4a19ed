/**
 * Decides which addresses may be in derived Markdown: absolute http, https and mailto. The list says what is allowed, so no
 * disguised script or data address (case, white space, entities, control characters) needs to be recognised: the URL parser
 * normalises it before the scheme is checked.
 */

const LINK_PROTOCOLS: ReadonlySet<string> = new Set(["http:", "https:", "mailto:"]);
const WEB_PROTOCOLS: ReadonlySet<string> = new Set(["http:", "https:"]);
/** Longer addresses are usually tracking data. Their text is kept. */
const URL_MAX_CHARS = 8_192;

/** The base of relative addresses: the page's `<base href>` if it is a web address, otherwise its URL. */
export function resolveBase(pageUrl: string, baseHref: string | null): URL | null {
  const page = parseUrl(pageUrl, null);
  const pageBase = page !== null && WEB_PROTOCOLS.has(page.protocol) ? page : null;
  const declared = baseHref === null ? null : parseUrl(baseHref, pageBase);
  return declared !== null && WEB_PROTOCOLS.has(declared.protocol) ? declared : pageBase;
}

/** The absolute address of a link, encoded for Markdown's parentheses. Null when the address is not allowed. */
export function resolveLink(href: string | null, base: URL | null): string | null {
  return resolve(href, base, LINK_PROTOCOLS);
}

/** The same for an image, where only web addresses are allowed. */
export function resolveImage(src: string | null, base: URL | null): string | null {
  return resolve(src, base, WEB_PROTOCOLS);
}

function resolve(raw: string | null, base: URL | null, protocols: ReadonlySet<string>): string | null {
  // Trimmed of every kind of space. The parser knows only ASCII spaces, and after another kind a script address looks like a
  // path.
  const text = raw?.trim() ?? "";
  if (text === "" || text.length > URL_MAX_CHARS) {
    return null;
  }
  const url = parseUrl(text, base);
  if (url === null || !protocols.has(url.protocol)) {
    return null;
  }
  const destination = toDestination(url.href);
  return destination.length > URL_MAX_CHARS ? null : destination;
}

/**
 * Percent-encodes characters that would end or change a Markdown destination or a table cell. All of them may be encoded in a
 * path, query or fragment. Parentheses too, because many readers of Markdown stop at the first one, escaped or not.
 */
function toDestination(href: string): string {
  return href
    .replace(/[\s<>()|`"\\]/g, (character) => {
      const code = character.charCodeAt(0);
      return code < 0x80 ? `%${code.toString(16).toUpperCase().padStart(2, "0")}` : encodeURIComponent(character);
    })
    .replace(/&(?=#?[A-Za-z0-9]+;)/g, "&amp;");
}

function parseUrl(text: string, base: URL | null): URL | null {
  try {
    return base === null ? new URL(text) : new URL(text, base);
  } catch {
    // Not an address: the caller keeps the text and omits the link.
    return null;
  }
}
