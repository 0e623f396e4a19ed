import { domainToASCII, domainToUnicode } from "node:url";
import { plainText } from "../../plain-text.ts";

/**
 * A host as people write it, with the form that is on the wire always beside it: `bücher.example (xn--bcher-kva.example)`. Letters of
 * different scripts can look alike, and the other form shows which ones they are.
 */
export function formatHost(host: string): string {
  if (!/(?:^|\.)xn--/.test(host)) {
    return host;
  }
  const written = plainText(domainToUnicode(host));
  // What cannot be turned back is not this host.
  return written === "" || written === host || domainToASCII(written) !== host ? host : `${written} (${host})`;
}

/** A host as somebody typed it, in the form that the configuration and the ledger have. */
export function parseHost(typed: string): string {
  const host = domainToASCII(typed.trim());
  return host === "" ? typed : host;
}
