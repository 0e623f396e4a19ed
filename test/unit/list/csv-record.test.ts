import { stringify } from "csv-stringify/sync";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseCsvHeader, parseCsvRecord } from "../../../src/list/csv-record.ts";
import { isCsvName, namesColumns } from "../../../src/list/list-form.ts";

const URL = "https://a.example/p";
const COLUMNS = ["url", "key", "maxPrice", "value"];
const bad = (reason: string) => ({ kind: "bad", reason });
const entry = (terms: object) => ({
  kind: "entry",
  entry: { url: URL, maxPrice: null, license: null, value: null, key: null, ...terms },
});

describe("the first line of a list", () => {
  it.each(["url", "url,key", "key,maxPrice,url", '"url","key"', "URL;Key", "url\tkey", " url , key "])(
    "that is %j names columns",
    (line) => expect(namesColumns(line)).toBe(true),
  );

  it.each([
    URL,
    `${URL}?a=1,url,2`,
    '{"url": "https://a.example/p"}',
    "urls,key",
    "# url,key of the week: not a header",
    "",
  ])("that is %j names none", (line) => expect(namesColumns(line)).toBe(false));

  it.each([
    ["pages.csv", true],
    ["/lists/PAGES.CSV.GZ", true],
    ["csv", false],
    ["pages.csv.jsonl", false],
  ])("is looked at by the name %s: CSV is %s", (name, isCsv) => expect(isCsvName(name)).toBe(isCsv));
});

describe("parseCsvHeader", () => {
  it("gives the columns in their order, with those that mean nothing here", () => {
    expect(parseCsvHeader(' key ,"title, long",url,maxPrice')).toEqual(["key", "title, long", "url", "maxPrice"]);
  });

  it.each([
    ["link,key", "its first line names no column url"],
    ["url;key", "its columns are not separated by commas"],
    ["URL,key", 'its column URL is misspelt: did you mean "url"?'],
    ["url,max_price", 'its column max_price is misspelt: did you mean "maxPrice"?'],
    ["url,maxPrise", 'its column maxPrise is misspelt: did you mean "maxPrice"?'],
    ["url,license", "it has a column license, which a list in CSV cannot have"],
    ["url,key,key", "it has two columns key"],
    ['url,"key', "its first line is not CSV"],
    ["", "its first line names no column url"],
  ])("refuses %j", (line, problem) => expect(parseCsvHeader(line)).toBe(problem));
});

describe("parseCsvRecord", () => {
  it.each([
    [`${URL},,,`, entry({})],
    [`${URL},0017,0.02 USD,2.5`, entry({ key: "0017", maxPrice: { micros: 20_000, currency: "USD" }, value: 2.5 })],
    [` ${URL} , a , 5 EUR , 0 `, entry({ key: "a", maxPrice: { micros: 5_000_000, currency: "EUR" }, value: 0 })],
    [`"${URL}","5"" disk, old",,`, entry({ key: '5" disk, old' })],
    [`${URL},"two\nlines",,`, entry({ key: "two\nlines" })],
    [",,,", { kind: "blank" }],
    [`${URL},a,0.02,`, bad("bad_max_price")],
    [`${URL},a,0,02 EUR,1`, bad("not_csv")],
    [`${URL},a,,many`, bad("bad_value")],
    [`${URL},a,,-1`, bad("bad_value")],
    [`${URL},a,,1e3`, bad("bad_value")],
    [`${URL},a`, bad("not_csv")],
    [`${URL}`, bad("not_csv")],
    [",a,,", bad("no_url")],
    [`${URL} old,a,,`, bad("text_behind_url")],
    [`${URL},a"b,,`, bad("not_csv")],
    [`${URL},"a"b,,`, bad("not_csv")],
    [`${URL},"a`, "open"],
  ])("reads %j", (text, parsed) => expect(parseCsvRecord(COLUMNS, text)).toEqual(parsed));

  it("lets a column through that means nothing here, whatever it is named", () => {
    const columns = ["__proto__", "title", "url", "constructor"];
    expect(parseCsvRecord(columns, `x,"Rain, again",${URL},y`)).toEqual(entry({}));
  });

  it("reads what another program wrote, whatever is in the cells", () => {
    const cell = fc.string({ unit: "grapheme", maxLength: 20 }).map((text) => text.trim().replaceAll("\0", ""));
    fc.assert(
      fc.property(cell, cell, (key, title) => {
        const record = stringify([[title, URL, key]]).replace(/\n$/, "");
        expect(parseCsvRecord(["title", "url", "key"], record)).toEqual(entry({ key: key === "" ? null : key }));
      }),
    );
  });

  it("throws at no text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 50 }), (text) => {
        const parsed = parseCsvRecord(COLUMNS, text);
        expect(parsed === "open" || ["entry", "bad", "blank"].includes(parsed.kind)).toBe(true);
      }),
    );
  });
});
