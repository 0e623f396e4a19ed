import { relative, resolve } from "node:path";
import type { Command } from "commander";
import { EXIT, type ExitCode } from "../exit-code.ts";
import { CONFIG_TEMPLATE, ENV_TEMPLATE } from "../init/config-template.ts";
import { writeNewFiles } from "../init/write-new-files.ts";
import { examples } from "../parse-arguments.ts";
import { plainText } from "../plain-text.ts";
import type { RunCommand } from "../program.ts";
import type { Session } from "../session.ts";

export function addInitCommand(program: Command, run: RunCommand): void {
  program
    .command("init")
    .description("write a commented licet.config.yaml and .env.example")
    .argument("[dir]", "where (default: here)")
    .addHelpText(
      "after",
      examples([
        ["licet init", "in this directory"],
        ["licet init shop", "in ./shop"],
      ]),
    )
    .action((dir: string | undefined) => run((session) => init(session, dir ?? ".")));
}

async function init(session: Session, dir: string): Promise<ExitCode> {
  const { cwd } = session.io;
  const target = resolve(cwd, dir);
  const files = await writeNewFiles(target, [
    { name: "licet.config.yaml", content: CONFIG_TEMPLATE },
    { name: ".env.example", content: ENV_TEMPLATE },
  ]);
  const shown = (path: string) => plainText(relative(cwd, path) || ".");
  const enter = target === cwd ? "" : `cd ${shown(target)} && `;
  await session.print({ dir: target, files }, () =>
    [
      ...files.map((file) => `wrote ${shown(file)}`),
      "",
      "A fetch that is billed again when it is reported is paid twice, so reporting.billed contains only `use`.",
      "Change it if your agreement charges fetches when they are reported.",
      "",
      "Next:",
      `  $ ${enter}cp .env.example .env`,
      "  $ licet sandbox                   in another terminal, or put your gateway into .env",
      "  $ licet check --env .env",
      "  $ licet plan --env .env            what would be bought, for how much",
      "  $ licet run --env .env",
      "",
    ].join("\n"),
  );
  return EXIT.done;
}
