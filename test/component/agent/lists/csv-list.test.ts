/** A list in CSV, as bytes: its records, their lines, and what an open quote can do. */
import { gzipSync } from "node:zlib";
import { stringify } from "csv-stringify/sync";
import fc from "fast-check";
import { expect, test } from "vitest";
import { readListBytes } from "../../../../src/agent/lists/list-bytes.ts";
import type { ListLine } from "../../../../src/pipeline/lists/list-reader.ts";

const URL = "https://a.example";

async function* chunked(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += size) {
    yield bytes.subarray(start, start + size);
  }
}

async function read(text: string | Uint8Array, { path = null as string | null, size = 7 } = {}): Promise<ListLine[]> {
  const lines: ListLine[] = [];
  for await (const line of readListBytes(chunked(Buffer.from(text), size), path)) {
    lines.push(line);
  }
  return lines;
}

const shown = (lines: readonly ListLine[]) =>
  lines.map(({ parsed }) =>
    parsed.kind === "entry"
      ? [parsed.entry.url.slice(URL.length), parsed.entry.key]
      : parsed.kind === "bad"
        ? parsed.reason
        : null,
  );

test("each line of the file is a line of the list, and a record is where it begins", async () => {
  const text = [
    "\ufeffurl,key,maxPrice",
    `${URL}/1,one,`,
    `${URL}/2,"two`,
    "",
    'lines""",0.02 USD',
    "",
    `${URL}/3,a"b,`,
    `${URL}/4,,`,
    ",,",
    `${URL}/5,five,0.02`,
  ];
  for (const end of ["\n", "\r\n"]) {
    const lines = await read(text.join(end));
    expect(lines).toHaveLength(text.length);
    expect(shown(lines)).toEqual([
      ...[null, ["/1", "one"], ["/2", `two${end}${end}lines"`], null, null, null],
      ...["not_csv", ["/4", null], null, "bad_max_price"],
    ]);
    expect(lines[2]?.text.trimEnd()).toBe(`${URL}/2,"two`);
  }
});

test("a list that names no columns is one page a line, also when a URL has a comma in it", async () => {
  expect(shown(await read(`# pages\n${URL}/a,1.html\n${URL}/b c\n`))).toEqual([
    null,
    ["/a,1.html", null],
    "text_behind_url",
  ]);
  expect(shown(await read(`\n# pages\n url \n${URL}/a\n`))).toEqual([null, null, null, ["/a", null]]);
  expect(shown(await read(gzipSync(`url,key\n${URL}/a,1\n`), { path: "pages.csv.gz" }))).toEqual([null, ["/a", "1"]]);
});

test.each([
  [`${URL}/1,one\n`, "/lists/pages.csv", "/lists/pages.csv cannot be read: its first line names no column url"],
  ["link,key\n", "/lists/pages.csv.gz", "names no column url"],
  ["url;key\n", null, "the list cannot be read: its columns are not separated by commas"],
  ["url,max_price\n", null, "its column max_price is misspelt"],
  [
    `url,key\n${URL}/1,"one\n${URL}/2,two\n`,
    "pages.csv",
    "a cell in quotes begins in pages.csv:2, and up to line 3 it is not CSV",
  ],
  [`url,key\n${URL}/1,"one\n${URL}/2,"two"\n`, null, "begins in line 2 of the list, and up to line 3 it is not CSV"],
  [`url,key\n${URL}/1,"${"x\n".repeat(2_000)}"\n`, null, "up to line 1002 it is not CSV"],
  [`url,key\n${URL}/1,"${`${"x".repeat(1_000)}\n`.repeat(100)}"\n`, null, "up to line 67 it is not CSV"],
])("%j is refused as a whole, because what is behind may be anything", async (text, path, message) => {
  await expect(read(text, { path, size: 1_000 })).rejects.toMatchObject({
    code: "LIST_UNREADABLE",
    message: expect.stringContaining(message),
    hint: expect.stringMatching(/url,key,maxPrice,value|Mend that line/),
  });
});

test("a line in an open cell is never a page, whatever somebody wrote into it", async () => {
  const lines = await read(`title,url\n"ends\n${URL}/evil,${URL}/evil\nhere",${URL}/good\n`);
  expect(shown(lines)).toEqual([null, ["/good", null], null, null]);
});

test("reads what a program wrote, in any pieces, and ends at any text with lines or one error", async () => {
  const key = fc
    .string({ unit: "grapheme", minLength: 1, maxLength: 12 })
    .map((text) => `k${text.replaceAll("\0", "")}k`);
  await fc.assert(
    fc.asyncProperty(fc.array(key, { maxLength: 5 }), fc.integer({ min: 1, max: 40 }), async (keys, size) => {
      const text = stringify([["url", "key"], ...keys.map((one, index) => [`${URL}/${index}`, one])]);
      const found = shown(await read(text, { size })).filter((line) => line !== null);
      expect(found).toEqual(keys.map((one, index) => [`/${index}`, one]));
    }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom('"', ",", "\n", "\r", `${URL}/a`, "x", "\0")), async (parts) => {
      await read(`url,key\n${parts.join("")}`).catch((error: unknown) =>
        expect(error).toMatchObject({ code: "LIST_UNREADABLE" }),
      );
    }),
  );
});
