/** Texts in the encodings of old pages. The platform only decodes these, so the table is made by decoding every pair of bytes. */

const WINDOWS_1252_MIDDLE = "€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ";

export type Encoding =
  | "utf-8"
  | "utf-16le"
  | "utf-16be"
  | "windows-1252"
  | "iso-8859-2"
  | "windows-1251"
  | "koi8-r"
  | "shift_jis"
  | "euc-jp"
  | "gb18030"
  | "big5"
  | "euc-kr";

/** UTF-16 begins with its mark, without which nobody could tell it. */
export function encodeText(text: string, encoding: Encoding): Buffer {
  if (encoding === "utf-8") {
    return Buffer.from(text, "utf8");
  }
  if (encoding === "utf-16le" || encoding === "utf-16be") {
    const bytes = Buffer.from(`\ufeff${text}`, "utf16le");
    return encoding === "utf-16le" ? bytes : bytes.swap16();
  }
  const table = encoding === "windows-1252" ? listWindows1252() : listDecoded(encoding);
  return Buffer.concat(
    [...text].map((character) => {
      const bytes = table.get(character);
      if (bytes === undefined) {
        throw new Error(`${encoding} has no ${character}`);
      }
      return bytes;
    }),
  );
}

/** Older Nodes take this encoding for Latin-1, so it is written out. */
function listWindows1252(): Map<string, Buffer> {
  return new Map(
    Array.from({ length: 256 }, (_, byte) => [
      byte >= 0x80 && byte < 0xa0 ? (WINDOWS_1252_MIDDLE[byte - 0x80] ?? "") : String.fromCharCode(byte),
      Buffer.from([byte]),
    ]),
  );
}

/** The shortest bytes of each character; ASCII is itself. */
function listDecoded(encoding: Encoding): Map<string, Buffer> {
  const decoder = new TextDecoder(encoding);
  const table = new Map<string, Buffer>();
  const add = (...bytes: number[]) => {
    const character = decoder.decode(Buffer.from(bytes));
    if ([...character].length === 1 && character !== "\ufffd" && !table.has(character)) {
      table.set(character, Buffer.from(bytes));
    }
  };
  for (let first = 0; first < 256; first++) {
    add(first);
  }
  for (let first = 0x81; first < 256; first++) {
    for (let second = 0x40; second < 256; second++) {
      add(first, second);
    }
  }
  return table;
}
