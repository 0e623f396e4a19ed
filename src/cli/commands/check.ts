import type { Command } from "commander";
import type { CheckReport } from "../../agent/agent.ts";
import { type ExitCode, exitCodeOfCheck } from "../exit-code.ts";
import { type Layout, PLAIN_LAYOUT } from "../output/layout.ts";
import { examples } from "../parse-arguments.ts";
import type { RunCommand } from "../program.ts";
import type { Session } from "../session.ts";
import { formatLine, formatTable, type Row } from "../text-table.ts";

interface CheckFlags {
  readonly alerts?: boolean;
}

export function addCheckCommand(program: Command, run: RunCommand): void {
  program
    .command("check")
    .description("validate the configuration, try gateway, queue and ledger, and list each problem with its remedy")
    .option("--alerts", "send a test to each receiver of alerts")
    .addHelpText(
      "after",
      examples([
        ["licet check", ""],
        ["licet check --alerts", "and tell each receiver of alerts that this is a test"],
        ["licet check --env staging.env", "with the variables of a file"],
        ["licet check --config shop/licet.config.yaml --json", "for a program"],
      ]),
    )
    .action((flags: CheckFlags) => run((session) => check(session, flags)));
}

function check(session: Session, { alerts = false }: CheckFlags): Promise<ExitCode> {
  return session.withAgent(async (agent, config) => {
    const report = await agent.check({ alerts });
    const checks = [
      { name: "configuration", ok: true, detail: config.file ?? "", hint: null },
      ...config.envFiles.map((file) => ({ name: "environment", ok: true, detail: `also from ${file}`, hint: null })),
      ...report.checks,
    ];
    await session.print({ ok: report.ok, checks }, (layout) => formatCheck({ ok: report.ok, checks }, layout));
    return exitCodeOfCheck(report);
  });
}

export function formatCheck({ ok, checks }: CheckReport, layout: Layout = PLAIN_LAYOUT): string {
  const rows = checks.map(
    ({ name, ok: fine, detail }): Row => ({
      cells: [fine ? { text: "ok", tone: "good" } : { text: "FAIL", tone: "bad" }, name, detail],
    }),
  );
  const hints = checks.flatMap(({ name, hint }) =>
    hint === null ? [] : formatLine(`${name}: ${hint}`, layout, { indent: "  " }),
  );
  return [
    formatTable([{ title: "" }, { title: "" }, { title: "", wrap: true }], rows, layout),
    ...(hints.length === 0 ? [] : ["\nWhat to do:\n", ...hints]),
    ok ? "\nEverything works.\n" : "\nThere are problems.\n",
  ].join("");
}
