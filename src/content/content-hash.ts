import { hash } from "node:crypto";
import type { ContentSections } from "./conversion.ts";

/** A body that was encoded already is hashed as it is: nothing in a page is as long. */
export type HashedSections = Omit<ContentSections, "body"> & { readonly body: string | Uint8Array };

/** Part of the hashed text, so that a later encoding can never collide with this one. */
const ENCODING = "licet-content-1";

/** For people, beside a hash: which bytes it covers. */
export const HASH_COVERS = `Each hash is the SHA-256 of the text as it was received, in UTF-8: the line ${ENCODING}, then header, body and footer, each as its length in bytes, a colon, the text and a line feed. The body is the HTML, or the Markdown where no HTML was bought; what is missing has the length 0.`;

/**
 * SHA-256 of a page's sections, in lower-case hex. Two hashes are equal exactly when the UTF-8 bytes are equal, section by
 * section. The byte length before each section keeps text from moving between sections unnoticed ("ab" + "c" is not "a" + "bc").
 * A lone surrogate counts as U+FFFD, because the stored text will contain that.
 */
export function hashContent({ header, body, footer }: HashedSections): string {
  const bytes = typeof body === "string" ? Buffer.from(body) : body;
  const before = `${ENCODING}\n${encode(header)}${bytes.length}:`;
  const after = `\n${encode(footer)}`;
  const size = Buffer.byteLength(before) + bytes.length + Buffer.byteLength(after);
  const all = size <= joined.length ? joined : Buffer.allocUnsafe(size);
  const bodyAt = all.write(before);
  all.set(bytes, bodyAt);
  all.write(after, bodyAt + bytes.length);
  return hash("sha256", all.subarray(0, size));
}

/** Where the sections of a page of ordinary size are joined: memory outside the heap, which would else be taken and given back for each page. */
const joined = Buffer.allocUnsafeSlow(65_536);

function encode(section: string): string {
  return `${Buffer.byteLength(section)}:${section}\n`;
}
