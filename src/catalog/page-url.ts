/**
 * One page has three spellings:
 * - `url` is its identity in licet: the WHATWG-normalised address without fragment, with canonical escapes
 * (canonical-escapes.ts). Two catalog lines with the same identity are one page.
 * - `wireUrl` is its spelling in requests for rate, token, content and report. It is the catalog's own spelling when that is
 * safe, because a gateway may compare literally. Otherwise it is the identity.
 * - `path` is the identity's path without the query. The globs of policies and sites match it.
 *
 * Every function here accepts any string and never throws.
 */

import { canonicalEscapes } from "./canonical-escapes.ts";
import { pathOfUrl } from "./url-path.ts";

/** The longest location that a sitemap allows. It is counted on the trimmed text, in UTF-16 units. */
export const MAX_PAGE_URL_CHARS = 2048;

/**
 * The limit for the identity, which percent-encoding can make up to nine times longer. Encoded again as a path parameter, it
 * still fits the 16 KiB that common servers accept for a request head.
 */
export const MAX_CANONICAL_URL_CHARS = 4096;

export interface PageUrl {
  readonly url: string;
  readonly wireUrl: string;
  readonly path: string;
}

/** Why a text is not the address of a page of its site. */
export const PAGE_URL_FAULTS = [
  "not_a_url",
  "scheme",
  "credentials",
  "host",
  "too_long",
  "control_characters",
] as const;
export type PageUrlFault = (typeof PAGE_URL_FAULTS)[number];

export type ParsedPageUrl =
  | { readonly ok: true; readonly pageUrl: PageUrl }
  | { readonly ok: false; readonly reason: PageUrlFault };

/** C0 and C1 control characters. URL parsers silently drop some of them, so a line could look different from its effect. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the point
const CONTROL_CHARACTERS = /[\u0000-\u001f\u007f-\u009f]/;

const LONE_SURROGATE = /\p{Surrogate}/u;

/**
 * Characters that keep the catalog's own spelling off the wire: invisible and direction-changing characters, spaces, backslashes
 * (parsers read them as slashes), characters that must be escaped in a URL, and `#`, because fragments are not sent.
 */
const UNSAFE_ON_WIRE = /[\s\\"<>^`{|}#\p{Cf}\p{Z}]/u;

const DOT_SEGMENT = /\/(?:\.|%2e){1,2}(?:[/?]|$)/i;

/** Parsers also accept `https:host` and `https:////host`. A gateway that compares literally does not. */
const PLAIN_START = /^https?:\/\/[^/]/i;

/**
 * Parses a page's address and checks that it belongs to the site. `www.` is part of a host like any other label: a site
 * configured without it does not include it.
 *
 * @param host the configured host, in any case, Unicode or punycode, with its port unless it is the scheme's default port
 */
export function parsePageUrl(raw: string, host: string): ParsedPageUrl {
  const read = readUrl(raw);
  if (typeof read === "string") {
    return { ok: false, reason: read };
  }
  const { spelling, url, identity } = read;
  if (url.host !== canonicalHost(host, url.protocol)) {
    return { ok: false, reason: "host" };
  }
  const isSafe = PLAIN_START.test(spelling) && !UNSAFE_ON_WIRE.test(spelling) && !climbsAmbiguously(spelling);
  const wireUrl = isSafe ? spelling : identity;
  return { ok: true, pageUrl: { url: identity, wireUrl, path: pathOfUrl(identity) } };
}

/**
 * Finds dot segments after an empty segment. A server that first replaces `//` with `/` leaves a different folder than the globs
 * saw: a URL parser reads `/x//private/../../private/u` as `/x/private/u`, such a server reads `/private/u`.
 */
function climbsAmbiguously(spelling: string): boolean {
  const emptyAt = spelling.indexOf("//", spelling.indexOf("//") + 2);
  return emptyAt >= 0 && DOT_SEGMENT.test(spelling.slice(emptyAt));
}

/** The identity of an address on any host. Null when it is not the address of a page. */
export function canonicalPageUrl(raw: string): string | null {
  const read = readUrl(raw);
  return typeof read === "string" ? null : read.identity;
}

/** Reserved characters (RFC 3986) that `encodeURIComponent` does not escape. */
const SUB_DELIMITERS = /[!'()*]/g;

/**
 * Encodes a text as one path segment. Every reserved character is encoded, including the query, so that a page named
 * `/catalog/list` can never be read as the catalog endpoint. Existing escapes are encoded again: the gateway decodes once and
 * gets the original spelling.
 */
export function toPathParameter(text: string): string {
  const encoded = encodeURIComponent(LONE_SURROGATE.test(text) ? text.replace(/\p{Surrogate}/gu, "\ufffd") : text);
  return encoded.replace(SUB_DELIMITERS, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** The identity of the same page under the other scheme: `http` for `https`, and vice versa. */
export function withOtherScheme(identity: string): string {
  return identity.startsWith("https:")
    ? `http:${identity.slice("https:".length)}`
    : `https:${identity.slice("http:".length)}`;
}

/** The same for a page under `http` and under `https`. */
export function withoutScheme(identity: string): string {
  return identity.slice(identity.indexOf(":") + 1);
}

function readUrl(raw: string): { spelling: string; url: URL; identity: string } | PageUrlFault {
  const spelling = raw.trim();
  if (spelling.length > MAX_PAGE_URL_CHARS) {
    return "too_long";
  }
  if (CONTROL_CHARACTERS.test(spelling)) {
    return "control_characters";
  }
  if (LONE_SURROGATE.test(spelling)) {
    return "not_a_url";
  }
  const url = URL.parse(spelling);
  if (url === null) {
    return "not_a_url";
  }
  if (url.protocol !== "https:" && url.protocol !== "http:") {
    return "scheme";
  }
  if (url.username !== "" || url.password !== "") {
    return "credentials";
  }
  url.hash = "";
  const identity = canonicalEscapes(url.href);
  return identity.length > MAX_CANONICAL_URL_CHARS ? "too_long" : { spelling, url, identity };
}

/** Parsed under the page's own scheme, so that a default port may be present or absent. */
function canonicalHost(host: string, protocol: string): string | null {
  const address = `${protocol}//${host.trim()}`;
  const url = URL.parse(address);
  if (url === null) {
    return null;
  }
  // A configured "host" that contains more than a host matches no page.
  return url.pathname === "/" && url.search === "" && url.hash === "" && url.username === "" ? url.host : null;
}
