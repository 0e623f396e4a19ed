/** The tests of policies that fail: what was expected, what the rules say, and why. */
import type { PolicyTestReport } from "../../agent/checks/check-report.ts";
import { plainText } from "../../plain-text.ts";
import { type Layout, PLAIN_LAYOUT } from "../output/layout.ts";
import { formatLine, formatTable, type Row } from "../output/text-table.ts";
import { formatFindings } from "./rate-findings.ts";

/** Failed tests that are shown in full. Many failures mostly have one cause. */
const MAX_SHOWN = 20;

/** Empty when every test passes. */
export function formatFailedTests(tests: readonly PolicyTestReport[], layout: Layout = PLAIN_LAYOUT): string {
  const failed = tests.filter(({ ok }) => !ok);
  if (failed.length === 0) {
    return "";
  }
  const more = failed.length - MAX_SHOWN;
  return [
    "\nTests of policies that fail (rules count from 1):\n",
    ...failed.slice(0, MAX_SHOWN).map((test) => formatFailedTest(test, layout)),
    ...(more > 0 ? [`\n… and ${more} more: licet check --json lists all\n`] : []),
  ].join("");
}

function formatFailedTest({ place, policy, test, url, expected, got, why }: PolicyTestReport, layout: Layout): string {
  const head = `${place === null ? "" : `${place}  `}${policy}, test ${test}: ${url}`;
  const rows: Row[] = [
    { cells: [{ text: "- expected", tone: "good" }, expected, ruleOf(expected, why)] },
    { cells: [{ text: "+ got", tone: "bad" }, got, ruleOf(got, why)] },
  ];
  return [
    "\n",
    formatLine(head, layout),
    formatTable([{ title: "" }, { title: "" }, { title: "", wrap: true, below: true }], rows, layout),
    why === null ? "" : formatFindings(why),
  ].join("");
}

/** The text of the rule that a verdict names. */
function ruleOf(verdict: string, why: PolicyTestReport["why"]): string {
  const number = /^(?:allow|deny \w+) (\d+)/.exec(verdict)?.[1];
  return number === undefined ? "" : plainText(why?.rules[Number(number) - 1] ?? "");
}
