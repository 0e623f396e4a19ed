/**
 * The columns of a Parquet file of documents. The names are those of the ledger's views for SQL. A date that the gateway or the publisher
 * wrote is a timestamp where it can be read as one, and NULL where it cannot; JSON lines have it as it was written.
 */
import type { SchemaElement } from "hyparquet-writer";
import { parseLastMod } from "../../catalog/last-mod.ts";
import type { StoredDocument } from "../../ledger/ledger-reports.ts";
import { hashOf } from "./export-line.ts";

type Value = string | bigint | Date | readonly string[] | null;

interface Column {
  readonly name: string;
  /** The element of the column, and those inside it. */
  readonly schema: readonly SchemaElement[];
  /** Long texts, of which no two are equal: a dictionary of them helps nobody. */
  readonly isLong?: boolean;
  value(document: StoredDocument): Value;
}

const TEXT = { type: "BYTE_ARRAY", converted_type: "UTF8", logical_type: { type: "STRING" } } as const;
const INSTANT = {
  type: "INT64",
  converted_type: "TIMESTAMP_MILLIS",
  logical_type: { type: "TIMESTAMP", isAdjustedToUTC: true, unit: "MILLIS" },
} as const;

function column(
  name: string,
  type: Pick<SchemaElement, "type" | "converted_type" | "logical_type">,
  value: Column["value"],
  { isRequired = false, isLong = false } = {},
): Column {
  const schema = [{ ...type, name, repetition_type: isRequired ? ("REQUIRED" as const) : ("OPTIONAL" as const) }];
  return { name, schema, isLong, value };
}

const REQUIRED = { isRequired: true };
const LONG = { isLong: true };

export const COLUMNS: readonly Column[] = [
  column("url", TEXT, ({ url }) => url, REQUIRED),
  column("host", TEXT, ({ host }) => host, REQUIRED),
  column("title", TEXT, ({ title }) => title),
  column("author", TEXT, ({ author }) => author),
  column("description", TEXT, ({ description }) => description),
  column("image_url", TEXT, ({ imageUrl }) => imageUrl),
  column("markdown", TEXT, ({ markdown }) => markdown, LONG),
  column("html", TEXT, ({ html }) => html, LONG),
  column("header", TEXT, ({ header }) => header, LONG),
  column("footer", TEXT, ({ footer }) => footer, LONG),
  column("hash", TEXT, hashOf, { isRequired: true, isLong: true }),
  column("license_type", TEXT, ({ license }) => license?.licenseType ?? null),
  column("license_id", TEXT, ({ license }) => license?.cuid ?? null),
  column("license_url", TEXT, ({ license }) => license?.licensePath ?? null),
  {
    name: "permissions",
    schema: [
      {
        name: "permissions",
        repetition_type: "OPTIONAL",
        num_children: 1,
        converted_type: "LIST",
        logical_type: { type: "LIST" },
      },
      { name: "list", repetition_type: "REPEATED", num_children: 1 },
      { ...TEXT, name: "element", repetition_type: "REQUIRED" },
    ],
    value: ({ license }) => license?.permissions ?? null,
  },
  column("price_micros", { type: "INT64" }, ({ priceMicros }) => (priceMicros === null ? null : BigInt(priceMicros))),
  column("currency", TEXT, ({ currency }) => currency),
  column("acquired_at", INSTANT, ({ boughtAt }) => new Date(boughtAt), REQUIRED),
  column("rights_end_at", INSTANT, ({ rights }) => (rights == null ? null : new Date(rights.endsAt))),
  column("last_mod", INSTANT, ({ lastMod }) => toDate(lastMod)),
  column("published", INSTANT, ({ published }) => toDate(published)),
  column("modified", INSTANT, ({ modified }) => toDate(modified)),
  column("intent", TEXT, ({ intent }) => intent, REQUIRED),
  column("rule", TEXT, ({ rule }) => rule),
  column("run_id", TEXT, ({ runId }) => runId, REQUIRED),
  column("key", TEXT, ({ key }) => key),
  column("purchase_id", { type: "INT64" }, ({ purchaseId }) => BigInt(purchaseId), REQUIRED),
  column("purchase_url", TEXT, ({ purchaseUrl }) => purchaseUrl, REQUIRED),
  column("conversion_failure", TEXT, ({ conversionFailure }) => conversionFailure),
];

export const SCHEMA: SchemaElement[] = [
  { name: "documents", num_children: COLUMNS.length },
  ...COLUMNS.flatMap(({ schema }) => schema),
];

function toDate(text: string | null): Date | null {
  const at = text === null ? null : parseLastMod(text);
  return at === null ? null : new Date(at);
}
