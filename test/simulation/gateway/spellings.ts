/** One page, many spellings of its address (RFC 3986 § 6.2.2): finds the page of an address, and its other spellings. */

/** What a server may decode without asking: these mean the same encoded and not. */
const UNRESERVED = /^[\w.~-]$/;

/** The address by which the gateway knows a page; another one means another page. */
export function identify(url: string): string | null {
  if (!URL.canParse(url)) {
    return null;
  }
  const parsed = new URL(url);
  parsed.hash = "";
  return parsed.href.replace(/%[0-9a-f]{2}/gi, (octet) => {
    const character = String.fromCharCode(Number.parseInt(octet.slice(1), 16));
    return UNRESERVED.test(character) ? character : octet.toUpperCase();
  });
}

type Way = (url: string) => string;

const OF_HOST: readonly Way[] = [
  (url) => url.replace(/^(https:\/\/)([^/]+)/, (_, scheme: string, host: string) => scheme + host.toUpperCase()),
  (url) => url.replace(/^(https:\/\/[^/]+)/, "$1:443"),
  (url) => url.replace(/^(https:\/\/[^/]+)\//, "$1/./"),
];

const OF_PATH: readonly Way[] = [
  (url) => url.replace(/%[0-9A-F]{2}/g, (octet) => octet.toLowerCase()),
  (url) => url.replace(/~/g, "%7E"),
];

/** In one of the ways that a site has, or as it is. */
export function respell(
  url: string,
  { host, path }: { readonly host: boolean; readonly path: boolean },
  random: () => number,
): string {
  if (!host && !path) {
    return url;
  }
  const ways = [...(host ? OF_HOST : []), ...(path ? OF_PATH : [])];
  return ways[Math.floor(random() * (ways.length + 1))]?.(url) ?? url;
}
