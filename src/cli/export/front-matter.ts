import { stringify } from "yaml";
import type { StoredDocument } from "../../ledger/ledger-reports.ts";
import { formatListedPrice } from "../../money/listed-price.ts";
import { plainText } from "../../plain-text.ts";
import { hashOf } from "./export-line.ts";

/** The head of a Markdown file: the page and its license. Absent values are left out. */
export function frontMatter(document: StoredDocument): string {
  const { license } = document;
  const fields = {
    url: document.url,
    title: document.title,
    author: document.author,
    description: document.description,
    image: webAddress(document.imageUrl),
    published: document.published,
    modified: document.modified,
    lastMod: document.lastMod,
    intent: document.intent,
    license: license?.licenseType ?? null,
    licenseId: license?.cuid ?? null,
    licenseUrl: webAddress(license?.licensePath ?? null),
    permissions: license?.permissions?.map(plainText) ?? null,
    price: formatListedPrice(document),
    bought: new Date(document.boughtAt).toISOString(),
    rule: document.rule,
    purchase: document.purchaseId,
    boughtAs: document.purchaseUrl === document.url ? null : document.purchaseUrl,
    run: document.runId,
    key: document.key,
    contentHash: document.contentHash,
    hash: hashOf(document),
  };
  const present = Object.entries(fields)
    .filter(([, value]) => value !== null && value !== "")
    .map(([name, value]) => [name, typeof value === "string" ? plainText(value) : value]);
  // Every text is quoted, so that a title such as `no`, `1e3` or `2026-01-02` stays a text for every YAML reader.
  const yaml = stringify(Object.fromEntries(present), {
    defaultStringType: "QUOTE_DOUBLE",
    defaultKeyType: "PLAIN",
    lineWidth: 0,
  });
  return `---\n${yaml}---\n`;
}

/** Null for an address that a reader of the file should not follow. */
function webAddress(text: string | null): string | null {
  return text !== null && /^https?:$/.test(URL.parse(text)?.protocol ?? "") ? text : null;
}
