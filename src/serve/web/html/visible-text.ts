/**
 * Text for a page in which nothing is hidden: a character that a browser does not draw, or that changes how others are drawn, is shown by its
 * number. Line breaks and tabs stay.
 */

const INVISIBLE = /(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Surrogate}]/gu;
/** Joiners and variation selectors belong to words and to emoji: without them a name of another script is spelled wrongly. */
const PARTS_OF_WORDS: ReadonlySet<string> = new Set(["\u200c", "\u200d", "\ufe0e", "\ufe0f"]);

const FIRST_PICTURE = 0x2400;
const LAST_CONTROL = 0x1f;
const HEXADECIMAL = 16;
const DIGITS = 4;

export function visibleText(text: string): string {
  return text.replace(INVISIBLE, (character) => {
    if (PARTS_OF_WORDS.has(character)) {
      return character;
    }
    const code = character.codePointAt(0) ?? 0;
    return code <= LAST_CONTROL
      ? String.fromCodePoint(FIRST_PICTURE + code)
      : `⟨U+${code.toString(HEXADECIMAL).toUpperCase().padStart(DIGITS, "0")}⟩`;
  });
}
