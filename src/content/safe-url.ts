/**
 * Which addresses may stand in derived Markdown: absolute http, https and mailto. The list says what is let in, so no
 * disguise of a script or data address (case, white space, entities, control characters) has to be recognised: the
 * URL parser undoes them before the scheme is looked at.
 */

const LINK_PROTOCOLS: ReadonlySet<string> = new Set(["http:", "https:", "mailto:"]);
const WEB_PROTOCOLS: ReadonlySet<string> = new Set(["http:", "https:"]);
/** Longer addresses are tracking blobs or worse; the text they were on is kept. */
const URL_MAX_CHARS = 8_192;

/** What relative addresses are resolved against: the page's `<base href>` where it is a web address, else its URL. */
export function resolveBase(pageUrl: string, baseHref: string | null): URL | null {
  const page = parseUrl(pageUrl, null);
  const pageBase = page !== null && WEB_PROTOCOLS.has(page.protocol) ? page : null;
  const declared = baseHref === null ? null : parseUrl(baseHref, pageBase);
  return declared !== null && WEB_PROTOCOLS.has(declared.protocol) ? declared : pageBase;
}

/** The absolute address of a link, ready to stand between Markdown's parentheses; null when it may not stand there. */
export function resolveLink(href: string | null, base: URL | null): string | null {
  return resolve(href, base, LINK_PROTOCOLS);
}

/** The same for an image, where only web addresses make sense. */
export function resolveImage(src: string | null, base: URL | null): string | null {
  return resolve(src, base, WEB_PROTOCOLS);
}

function resolve(raw: string | null, base: URL | null, protocols: ReadonlySet<string>): string | null {
  // Trimmed of every space there is: the parser knows only ASCII ones, and behind another a script address is a path.
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
 * Percent-encodes what would end or change a Markdown destination or a table cell. All of it is legal to encode in a
 * path, query or fragment; parentheses too, since many readers of Markdown stop at the first one, escaped or not.
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
    // Not an address: the caller keeps the text and leaves the link out.
    return null;
  }
}
