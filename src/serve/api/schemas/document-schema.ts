/** Stored documents: their evidence, and their content as it came from the network. */
import { z } from "zod";
import type { StoredDocument } from "../../../ledger/ledger-reports.ts";
import { EXPIRY_ACTIONS } from "../../../policy/rule.ts";
import { licenseSchema } from "./license-schema.ts";
import { countSchema, currencySchema, instantSchema, microsSchema } from "./money-schema.ts";

/** The texts of a document. All other fields are its evidence. */
export const CONTENT_FIELDS = ["markdown", "html", "header", "footer"] as const;
export type DocumentEvidence = Omit<StoredDocument, (typeof CONTENT_FIELDS)[number]>;
/** A document of a list: with its texts, if they were asked for. */
export type ListedDocument = DocumentEvidence & Partial<StoredDocument>;

export const documentRightsSchema = z
  .object({
    endsAt: instantSchema,
    why: z.enum(["validUntil", "retention"]),
    hasEnded: z.boolean(),
    action: z.enum(EXPIRY_ACTIONS),
  })
  .describe("When the rights end under the policies of now, and what happens then. Null: they have no end.");

const EVIDENCE = {
  url: z.string(),
  host: z.string(),
  purchaseId: countSchema.describe("The id of the document in this interface."),
  purchaseUrl: z.string(),
  runId: z.string(),
  intent: z.enum(["content", "indexing"]),
  rule: z.string().nullable(),
  license: licenseSchema.nullable(),
  priceMicros: microsSchema.nullable(),
  currency: currencySchema.nullable(),
  lastMod: z.string().nullable(),
  settledAt: instantSchema,
  key: z.string().nullable().describe("The caller's own name of the page, from a list."),
  author: z.string().nullable(),
  description: z.string().nullable(),
  imageUrl: z.string().nullable(),
  modified: z.string().nullable(),
  published: z.string().nullable(),
  title: z.string().nullable(),
  contentHash: z
    .string()
    .describe(
      "SHA-256 in lower-case hexadecimal, of `licet-content-1\\n`, and then of header, body and footer each `<bytes>:<text>\\n`: the length in UTF-8 bytes and the text (nothing for null). The body is `html`, or `markdown` where `html` is null.",
    ),
  conversionFailure: z.string().nullable(),
  policyName: z.string(),
  validUntilAt: instantSchema.nullable().describe("Until when the licence is valid. Null: the gateway named no end."),
  retentionMs: countSchema.nullable().describe("The policy's `retention` at the purchase."),
  rights: documentRightsSchema.nullable().optional(),
};

const untrusted = () =>
  z
    .string()
    .nullable()
    .describe("As it came from the network. It may contain scripts: never show it without escaping it.");
const CONTENT = { markdown: untrusted(), html: untrusted(), header: untrusted(), footer: untrusted() };

export const documentSchema = z
  .object({ ...EVIDENCE, ...CONTENT })
  .meta({ id: "Document" }) as unknown as z.ZodType<StoredDocument>;

const listedDocumentSchema = z
  .object({ ...EVIDENCE, ...z.object(CONTENT).partial().shape })
  .meta({ id: "ListedDocument" }) as unknown as z.ZodType<ListedDocument>;

export interface DocumentPage {
  readonly documents: readonly ListedDocument[];
  readonly nextCursor: string | null;
}

export const documentPageSchema: z.ZodType<DocumentPage> = z
  .object({
    documents: z.array(listedDocumentSchema),
    nextCursor: z.string().nullable().describe("Give it as `cursor` to read on. Null: this is the last page."),
  })
  .meta({ id: "DocumentPage" });
