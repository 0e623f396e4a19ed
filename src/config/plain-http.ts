/** Checks whether the API key would be sent unencrypted. */

/** @returns a warning; null for https, and for an address of this machine */
export function warnOfPlainHttp(baseUrl: string): string | null {
  const { protocol, hostname } = new URL(baseUrl);
  return protocol === "http:" && !isLoopback(hostname)
    ? `gateway.baseUrl begins with http://: the API key, the tokens and all content go to ${hostname} unencrypted; use https://`
    : null;
}

/** @param hostname as URL gives it: addresses in their shortest form, IPv6 in brackets */
function isLoopback(hostname: string): boolean {
  return (
    hostname === "localhost" ||
    hostname.endsWith(".localhost") ||
    hostname === "[::1]" ||
    /^127(?:\.\d{1,3}){3}$/.test(hostname)
  );
}
