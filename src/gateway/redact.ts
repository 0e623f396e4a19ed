/**
 * Removes secrets from everything that a gateway sent. A gateway may send back a request with its key in any field of any answer,
 * and its answers are stored in the ledger, logged and displayed.
 */

/** Shorter texts would occur by chance in many answers. No key or token is that short. */
const MIN_SECRET_CHARS = 4;
/**
 * The minimum for data that is used, not only displayed. A short secret could occur there by chance: a page may be called `demo`.
 */
const MIN_DATA_SECRET_CHARS = 12;
const REDACTED = "[redacted]";

/** Returns the text without the secrets, also in the spellings of an address or a JSON text. */
export function redactText(text: string, secrets: readonly string[]): string {
  return takeOut(text, secrets, MIN_SECRET_CHARS);
}

/** Does the same for an error's body. This happens before the body is cut, because a cut could leave most of a secret. */
export function redactBody(body: Buffer, secrets: readonly string[]): Buffer {
  return isEchoed(body, secrets) ? Buffer.from(takeOut(body.toString("utf8"), secrets, MIN_SECRET_CHARS)) : body;
}

/** Does the same for an answer that is used. */
export function redactData(body: Buffer, secrets: readonly string[]): Buffer {
  return isEchoed(body, secrets) ? Buffer.from(takeOut(body.toString("utf8"), secrets, MIN_DATA_SECRET_CHARS)) : body;
}

/** No spelling is shorter than its secret: the id of a request, of which every page has one, cannot contain a token. */
function takeOut(text: string, secrets: readonly string[], minChars: number): string {
  return secrets
    .filter((secret) => secret.length >= minChars && secret.length <= text.length)
    .flatMap(spellings)
    .reduce((left, spelling) => left.replaceAll(spelling, REDACTED), text);
}

/** What is looked for, of each list of secrets. A client has one list, and several answers a page are searched for it. */
const needles = new WeakMap<readonly string[], readonly Buffer[]>();

/** Nearly every answer contains no secret, so this search is the only cost. */
function isEchoed(body: Buffer, secrets: readonly string[]): boolean {
  let wanted = needles.get(secrets);
  if (wanted === undefined) {
    wanted = secrets.flatMap(spellings).map((spelling) => Buffer.from(spelling));
    needles.set(secrets, wanted);
  }
  return wanted.some((needle) => body.includes(needle));
}

/** Of the API key, which is looked for in every request id, and of some tokens. */
const known = new Map<string, readonly string[]>();
const MAX_KNOWN = 64;

/** The spellings of a secret: unchanged, in an address, in a JSON text, and in lower case as in a host name. */
function spellings(secret: string): readonly string[] {
  const found = known.get(secret);
  if (found !== undefined) {
    return found;
  }
  const inJson = JSON.stringify(secret).slice(1, -1);
  const spelled = [...new Set([secret, encodeURIComponent(secret), inJson, secret.toLowerCase()])];
  if (known.size >= MAX_KNOWN) {
    known.clear();
  }
  known.set(secret, spelled);
  return spelled;
}
