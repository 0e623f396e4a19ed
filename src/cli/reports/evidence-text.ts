/** The text that `licet evidence` prints. */
import type { DocumentedVersion, Evidence } from "../../agent/evidence/evidence-agent.ts";
import type { EvidenceUse } from "../../ledger/evidence-ledger.ts";
import { plainText } from "../../plain-text.ts";
import { formatAmount, formatInstant, plural } from "../output/format-values.ts";
import type { Layout } from "../output/layout.ts";
import { section } from "../output/report-sections.ts";
import { listTable, textTable, wrapText } from "../output/text-table.ts";
import { formatActs } from "./act-table.ts";

export function formatEvidence({ subject, versions, hasMore, hashCovers, acts }: Evidence, layout: Layout): string {
  return [
    `${plainText(`${subject}: ${plural(versions.length, "version")}${hasMore ? ", and more (--json, --limit)" : ""}`)}\n`,
    ...versions.map((version) => formatVersion(version, layout)),
    ...section("Who decided", formatActs(acts, layout), layout),
    `\n${wrapText(hashCovers, layout.columns).join("\n")}\n`,
  ].join("");
}

function formatVersion(version: DocumentedVersion, layout: Layout): string {
  const { url, purchaseId, isNewest, purged, uses, usesTotal } = version;
  const state = purged !== null ? "purged" : isNewest ? "stored" : "an earlier version";
  const rows = describe(version).map(([name, value]) => [name, value]);
  const more = usesTotal > uses.filter(({ kind }) => kind === "use").length ? `  ${usesTotal} later uses in all\n` : "";
  return [
    ...section(
      plainText(`Purchase ${purchaseId} of ${url} (${state})`),
      textTable(null, rows, ["left", "left"]),
      layout,
    ),
    ...section("Uses", formatUses(uses, layout) + more, layout),
  ].join("");
}

function describe(version: DocumentedVersion): (readonly [string, string])[] {
  const { currency, license, rights, purged, rule, requestId } = version;
  const amount = (micros: DocumentedVersion["chargedMicros"]) => formatAmount(micros, currency);
  const fee = version.chargedFeeMicros ?? version.quotedFeeMicros;
  return [
    ["hash", version.hash],
    [
      "bought",
      `${formatInstant(version.boughtAt)} UTC in ${version.runId}${version.boughtUrl === version.url ? "" : ` as ${version.boughtUrl}`}`,
    ],
    ["rule", `${version.policyName}, rule ${version.ruleIndex + 1}${rule === null ? "" : `: ${rule}`}`],
    ["licence", version.licenseText ?? "none: it was fetched for indexing"],
    ...(license === null ? [] : [["as answered", JSON.stringify(license)] as const]),
    [
      "price",
      license === null
        ? "none"
        : `quoted at ${amount(version.quotedMicros)}, token up to ${amount(version.tokenCapMicros)}, charged ${amount(version.chargedMicros)}${fee === 0 ? "" : `, fee ${amount(fee)}`}${requestId === null ? "" : ` (request ${requestId})`}`,
    ],
    [
      "rights",
      rights === null
        ? "without an end"
        : `${rights.hasEnded ? "ended" : "until"} ${formatInstant(rights.endsAt)} UTC (${rights.why}); then: ${rights.action}`,
    ],
    ...(purged === null
      ? []
      : [
          [
            "purged",
            `${formatInstant(purged.purgedAt)} UTC by ${purged.by ?? "somebody who is not known"} (${purged.why})`,
          ] as const,
        ]),
  ];
}

function formatUses(uses: readonly EvidenceUse[], layout: Layout): string {
  return listTable(
    uses,
    [
      { title: "used", cell: ({ usedAt }) => formatInstant(usedAt) },
      { title: "kind", cell: ({ kind }) => kind },
      { title: "times", align: "right", cell: ({ times }) => String(times) },
      { title: "state", cell: ({ state }) => state },
      {
        title: "charged",
        align: "right",
        cell: ({ chargedMicros, currency }) => formatAmount(chargedMicros, currency),
      },
      { title: "report", below: true, cell: ({ idempotencyId }) => idempotencyId ?? "-" },
      {
        title: "receipt",
        wrap: true,
        below: true,
        cell: ({ receipts }) => receipts.map(describeReceipt).join("; ") || "none yet",
      },
    ],
    layout,
  );
}

function describeReceipt({ at, totalMicros, currency, error }: EvidenceUse["receipts"][number]): string {
  const said = error === null ? "" : `, ${error}`;
  return `${formatInstant(at)}: ${formatAmount(totalMicros, currency)} for the report's uses of the page${said}`;
}
