/**
 * Secrets taken out of what a gateway sent. It may echo a request, key included, in any field of any answer, and what it sends
 * goes into the ledger, into logs and onto screens.
 */

/** Shorter texts would be found by chance all over an answer; no key or token is that short. */
const MIN_SECRET_CHARS = 4;
/** In what is data and not only a message, chance must be ruled out: a page may well be called `demo`. */
const MIN_DATA_SECRET_CHARS = 12;
const REDACTED = "[redacted]";

/** The text without the secrets, however an address or a JSON text would have spelled them. */
export function redactText(text: string, secrets: readonly string[]): string {
  return takeOut(text, secrets, MIN_SECRET_CHARS);
}

/** The same for an error's body: before it is cut, which could leave most of a secret standing. */
export function redactBody(body: Buffer, secrets: readonly string[]): Buffer {
  return isEchoed(body, secrets) ? Buffer.from(takeOut(body.toString("utf8"), secrets, MIN_SECRET_CHARS)) : body;
}

/** The same for an answer that is used. */
export function redactData(body: Buffer, secrets: readonly string[]): Buffer {
  return isEchoed(body, secrets) ? Buffer.from(takeOut(body.toString("utf8"), secrets, MIN_DATA_SECRET_CHARS)) : body;
}

function takeOut(text: string, secrets: readonly string[], minChars: number): string {
  return secrets
    .filter((secret) => secret.length >= minChars)
    .flatMap(spellings)
    .reduce((left, spelling) => left.replaceAll(spelling, REDACTED), text);
}

/** Nearly every answer holds none, and looking is all that it costs. */
function isEchoed(body: Buffer, secrets: readonly string[]): boolean {
  return secrets.some((secret) => spellings(secret).some((spelling) => body.includes(spelling)));
}

/** As it is, in an address, in a JSON text, and in lower case, as in the name of a host. */
function spellings(secret: string): string[] {
  return [...new Set([secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1), secret.toLowerCase()])];
}
