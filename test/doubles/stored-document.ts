import type { StoredDocument } from "../../src/ledger/ledger-reports.ts";
import { toMicros } from "../../src/money/micros.ts";

/** A document as the ledger returns it. */
export function toDocument(url: string, part: Partial<StoredDocument> = {}): StoredDocument {
  return {
    url,
    host: new URL(url).host,
    purchaseId: 7,
    purchaseUrl: url,
    rule: "allow everything",
    runId: "run_1",
    intent: "content",
    license: {
      licenseType: "ON_DEMAND_LICENSE",
      cuid: "c1",
      licensePath: "https://l.example/c1",
      permissions: ["FULL_USE"],
    },
    priceMicros: toMicros(12_500),
    currency: "USD",
    lastMod: "2026-01-02",
    boughtAt: 1_700_000_000_000,
    key: null,
    policyName: "standard",
    validUntilAt: null,
    retentionMs: null,
    markdown: "# Text",
    html: null,
    header: null,
    footer: null,
    author: "A. Writer",
    description: null,
    imageUrl: null,
    modified: null,
    published: null,
    title: "A title",
    contentHash: "ab".repeat(32),
    conversionFailure: null,
    ...part,
  };
}
