import { hash } from "node:crypto";
import type { ContentSections } from "./conversion.ts";

/** Named in the hashed text, so a later encoding can never collide with this one. */
const ENCODING = "licet-content-1";

/**
 * SHA-256, in lower-case hex, of a page's sections: equal exactly when their UTF-8 bytes are equal, section by section.
 * The byte length before each section keeps text from moving between them unnoticed ("ab" + "c" is not "a" + "bc").
 * A lone surrogate counts as U+FFFD, as it will once the text has been stored.
 */
export function hashContent(sections: ContentSections): string {
  return hash("sha256", `${ENCODING}\n${encode(sections.header)}${encode(sections.body)}${encode(sections.footer)}`);
}

function encode(section: string): string {
  return `${Buffer.byteLength(section)}:${section}\n`;
}
