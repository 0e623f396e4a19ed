import { Option } from "commander";
import { type CheckLevel, type CheckReport, passed } from "../../agent/checks/check-report.ts";
import type { CliCommand } from "../cli-command.ts";
import { type ExitCode, exitCodeOfCheck } from "../exit-code.ts";
import { plural } from "../output/format-values.ts";
import { type Layout, PLAIN_LAYOUT } from "../output/layout.ts";
import { type Cell, formatLine, formatTable, type Row } from "../output/text-table.ts";
import { formatFailedTests } from "../reports/policy-tests.ts";
import type { Session } from "../session.ts";

interface CheckFlags {
  readonly offline?: boolean;
  readonly alerts?: boolean;
}

export function declareCheck(command: CliCommand): void {
  command
    .option("--alerts", "send a test to each receiver of alerts")
    .addOption(
      new Option("--offline", "only the configuration and the tests of its policies: reach nothing").conflicts(
        "alerts",
      ),
    )
    .examples([
      ["licet check", ""],
      ["licet check --alerts", "and tell each receiver of alerts that this is a test"],
      ["licet check --offline", "what a review of a policy needs"],
      ["licet check --env staging.env", "with the variables of a file"],
      ["licet check --config shop/licet.config.yaml --json", "for a program"],
    ])
    .does(check);
}

function check(session: Session, { alerts = false, offline = false }: CheckFlags): Promise<ExitCode> {
  return session.withAgent(async (agent, config) => {
    const report = await agent.check({ alerts, offline });
    const checks = [
      passed("configuration", config.file ?? ""),
      ...config.envFiles.map((file) => passed("environment", `also from ${file}`)),
      ...report.checks,
    ];
    const shown = { ...report, checks };
    await session.print(shown, (layout) => formatCheck(shown, layout));
    return exitCodeOfCheck(report);
  });
}

const LEVELS: Readonly<Record<CheckLevel, Cell>> = {
  ok: { text: "ok", tone: "good" },
  warning: { text: "warning", tone: "caution" },
  failed: { text: "FAIL", tone: "bad" },
};

export function formatCheck(
  { ok, warnings, checks, policyTests }: Omit<CheckReport, "settings">,
  layout: Layout = PLAIN_LAYOUT,
): string {
  const rows = checks.map(({ name, level, detail }): Row => ({ cells: [LEVELS[level], name, detail] }));
  const hints = checks.flatMap(({ name, hint }) =>
    hint === null ? [] : formatLine(`${name}: ${hint}`, layout, { indent: "  " }),
  );
  return [
    formatTable([{ title: "" }, { title: "" }, { title: "", wrap: true }], rows, layout),
    formatFailedTests(policyTests, layout),
    ...(hints.length === 0 ? [] : ["\nWhat to do:\n", ...hints]),
    ok ? `\nEverything works.${warnings === 0 ? "" : ` ${plural(warnings, "warning")}.`}\n` : "\nThere are problems.\n",
  ].join("");
}
