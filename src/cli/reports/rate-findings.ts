/** What the rules of a policy say of a page and of each of its rates: for `explain`, and for a test of a policy that fails. */
import type { PolicyTestReport } from "../../agent/checks/check-report.ts";
import { plainText } from "../../plain-text.ts";
import { type License as NamedLicense, nameLicense } from "../../rates/license.ts";
import { formatAmount } from "../output/format-values.ts";

type Findings = Pick<NonNullable<PolicyTestReport["why"]>, "listing" | "findings" | "flawedRates">;
type Finding = Findings["findings"][number];
type License = Findings["listing"]["rates"][number]["license"];

/** One block of lines for each rate. Rules count from 1. */
export function formatFindings({ listing, findings, flawedRates }: Findings): string {
  const rates = listing.rates.map(({ license, priceMicros, currency, error }, rateIndex) => {
    const flaws = flawedRates
      .filter((flawed) => flawed.rateIndex === rateIndex)
      .map(({ reason }) => `cannot be bought: ${reason}${error === null || error === "" ? "" : `, ${error}`}`);
    return [
      `  ${plainText(`${formatAmount(priceMicros, currency)}  ${formatLicense(license)}`)}\n`,
      ...flaws.map((flaw) => `    ${plainText(flaw)}\n`),
      ...findings.filter((finding) => finding.rateIndex === rateIndex).map((finding) => formatFinding(finding, "    ")),
    ];
  });
  const unreadable = listing.unreadable.map((reason) => `  ${plainText(`unreadable rate: ${reason}`)}\n`);
  const ofPage = findings.filter(({ rateIndex }) => rateIndex === null).map((finding) => formatFinding(finding, "  "));
  return [...rates.flat(), ...unreadable, ...ofPage].join("") || "  none: not licensable\n";
}

function formatFinding({ ruleIndex, matched, failed }: Finding, indent: string): string {
  return `${indent}${plainText(`rule ${ruleIndex + 1}: ${matched ? "matches" : (failed ?? "no")}`)}\n`;
}

export function formatLicense(license: License | null): string {
  return license === null
    ? "no licence"
    : `${nameLicense(license)} [${license.permissions?.join(", ") ?? "permissions not listed"}]`;
}

/** What a page was planned or bought under. */
export function formatTerms(license: Pick<NamedLicense, "licenseType" | "cuid"> | null): string {
  return license === null ? "indexing" : nameLicense(license);
}
