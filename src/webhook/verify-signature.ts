/**
 * The signature of a webhook delivery: HMAC-SHA256 of the delivery URL, and of nothing else. It proves that the sender knows the secret,
 * and says nothing about the body.
 *
 * The specification does not show how the value is written. Hexadecimal and base64 are accepted, alone or after words: `sha256=…`,
 * `Signature …`, `HMAC-SHA256 sha256=…`.
 */
import { createHmac, timingSafeEqual } from "node:crypto";

export interface SignedUrl {
  /** Exactly the text that was registered with the gateway. */
  readonly url: string;
  readonly secret: string;
}

/** More than the longest way to write a signature. A longer header is not read. */
const MAX_HEADER_CHARS = 512;
const SIGNATURE_BYTES = 32;

const HEXADECIMAL = /^[0-9a-f]{64}$/i;
/** Standard or URL-safe alphabet, with or without padding. */
const BASE64 = /^[\w+/-]{43}=?$/;
/** `sha256=`, `sha256:`. What follows keeps the padding of a base64 value from being read as the end of a name. */
const NAME = /^[a-z][\w-]{0,30}[=:](?=[\w+/-])/i;

/** Creates the check of one subscription. It takes the value of the `Authorization` header, accepts any text, and never throws. */
export function createSignatureCheck({ url, secret }: SignedUrl): (header: string | undefined) => boolean {
  const expected = createHmac("sha256", secret).update(url, "utf8").digest();
  return (header) => {
    const given = header === undefined ? null : readSignature(header);
    // Without a signature something is compared too, so that each refusal takes the same time.
    const isEqual = timingSafeEqual(given ?? Buffer.alloc(SIGNATURE_BYTES), expected);
    return given !== null && isEqual;
  };
}

/** The bytes of the signature. Null when the text has none. */
function readSignature(header: string): Buffer | null {
  if (header.length > MAX_HEADER_CHARS) {
    return null;
  }
  const last = header.trim().split(/\s+/).at(-1) ?? "";
  const value = last.replace(NAME, "");
  if (HEXADECIMAL.test(value)) {
    return Buffer.from(value, "hex");
  }
  return BASE64.test(value) ? Buffer.from(value, "base64") : null;
}
