/** Checks whether the API key would be sent unencrypted. */
import { isLoopback } from "../../loopback.ts";

/** @returns a warning; null for https, and for an address of this machine */
export function warnOfPlainHttp(baseUrl: string): string | null {
  const { protocol, hostname } = new URL(baseUrl);
  return protocol === "http:" && !isThisMachine(hostname)
    ? `gateway.baseUrl begins with http://: the API key, the tokens and all content go to ${hostname} unencrypted; use https://`
    : null;
}

function isThisMachine(hostname: string): boolean {
  return hostname.endsWith(".localhost") || isLoopback(hostname);
}
