/**
 * One page, three spellings:
 * - `url` is its identity inside licet: the WHATWG-normalised address without fragment, its escapes as RFC 3986 § 6.2.2 has them
 *   (canonical-escapes.ts). Two catalog lines with the same identity are one page.
 * - `wireUrl` is how the page is named to the gateway, the same for rate, token, content and report: the catalog's own
 *   spelling where that is safe, because a gateway may compare literally, else the identity.
 * - `path` is the identity's path without the query; the globs of policies and sites match it.
 *
 * Everything here takes any string whatever and never throws.
 */

import { canonicalEscapes } from "./canonical-escapes.ts";
import { pathOfUrl } from "./url-path.ts";

/** As long as a sitemap allows a location to be. Counted on the trimmed spelling, in UTF-16 units. */
export const MAX_PAGE_URL_CHARS = 2048;

/**
 * The same for the identity, which percent-encoding can make up to nine times longer. Encoded once more as a path
 * parameter it still fits the 16 KiB that common servers grant a request head.
 */
export const MAX_CANONICAL_URL_CHARS = 4096;

export interface PageUrl {
  readonly url: string;
  readonly wireUrl: string;
  readonly path: string;
}

export type PageUrlFault = "not_a_url" | "scheme" | "credentials" | "host" | "too_long" | "control_characters";

export type ParsedPageUrl =
  | { readonly ok: true; readonly pageUrl: PageUrl }
  | { readonly ok: false; readonly reason: PageUrlFault };

/** C0 and C1 controls. URL parsers drop some of them silently, so that a line could read otherwise than it acts. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the point
const CONTROL_CHARACTERS = /[\u0000-\u001f\u007f-\u009f]/;

const LONE_SURROGATE = /\p{Surrogate}/u;

/**
 * What keeps the catalog's own spelling off the wire: invisible and direction-changing characters, spaces, backslashes
 * (parsers take them for slashes), characters that no URL may carry raw, and the fragment, which is not sent.
 */
const UNSAFE_ON_WIRE = /[\s\\"<>^`{|}#\p{Cf}\p{Z}]/u;

const DOT_SEGMENT = /\/(?:\.|%2e){1,2}(?:[/?]|$)/i;

/** Parsers also accept `https:host` and `https:////host`; literally comparing gateways would not. */
const PLAIN_START = /^https?:\/\/[^/]/i;

/**
 * Reads a page's address and checks that it belongs to the site. `www.` is part of a host like any other label: a site
 * configured without it does not cover it.
 *
 * @param host the configured host, in any case, Unicode or punycode, with its port unless that is the scheme's own
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
 * Dot segments after an empty one: a server that takes `//` for `/` first climbs out of another folder than the one that the globs saw
 * (`/x//private/../../private/u` is `/x/private/u` to a URL parser, and `/private/u` to it).
 */
function climbsAmbiguously(spelling: string): boolean {
  const emptyAt = spelling.indexOf("//", spelling.indexOf("//") + 2);
  return emptyAt >= 0 && DOT_SEGMENT.test(spelling.slice(emptyAt));
}

/** The identity of an address of any host, or null when it is not a page address. */
export function canonicalPageUrl(raw: string): string | null {
  const read = readUrl(raw);
  return typeof read === "string" ? null : read.identity;
}

/** What `encodeURIComponent` leaves alone although RFC 3986 reserves it. */
const SUB_DELIMITERS = /[!'()*]/g;

/**
 * A text as one path segment: every reserved character is encoded, the query with them, so that a page called
 * `/catalog/list` can never be taken for the catalog endpoint. Already encoded parts are encoded once more: the gateway
 * decodes once and sees the spelling it knows.
 */
export function toPathParameter(text: string): string {
  const encoded = encodeURIComponent(LONE_SURROGATE.test(text) ? text.replace(/\p{Surrogate}/gu, "\ufffd") : text);
  return encoded.replace(SUB_DELIMITERS, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** The identity of the same page under the other scheme: `http` for `https`, and the other way round. */
export function withOtherScheme(identity: string): string {
  return identity.startsWith("https:")
    ? `http:${identity.slice("https:".length)}`
    : `https:${identity.slice("http:".length)}`;
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
  const url = URL.canParse(spelling) ? new URL(spelling) : null;
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

/** Read under the page's own scheme, so that a default port may be written or not. */
function canonicalHost(host: string, protocol: string): string | null {
  const address = `${protocol}//${host.trim()}`;
  if (!URL.canParse(address)) {
    return null;
  }
  const url = new URL(address);
  // A configured "host" that is more than a host covers nothing rather than something else.
  return url.pathname === "/" && url.search === "" && url.hash === "" && url.username === "" ? url.host : null;
}
