import { join, relative, resolve } from "node:path";
import { packageDirectory } from "../../package-directory.ts";
import { plainText } from "../../plain-text.ts";
import type { CliCommand } from "../cli-command.ts";
import { EXIT, type ExitCode } from "../exit-code.ts";
import { ENV_TEMPLATE, PLAIN_POLICIES, renderConfigTemplate } from "../init/config-template.ts";
import { firstSteps } from "../init/first-steps.ts";
import { ignoreLines } from "../init/ignore-lines.ts";
import { REVIEWED_POLICIES } from "../init/policy-section.ts";
import { findSchemaAddress } from "../init/schema-address.ts";
import { writeNewFiles } from "../init/write-new-files.ts";
import type { Session } from "../session.ts";

interface InitFlags {
  readonly policy?: boolean;
}

export function declareInit(command: CliCommand): void {
  command
    .argument("[dir]", "where (default: here)")
    .option("--policy", "with a policy for review: a sentence for each rule, and tests of what the rules do")
    .examples([
      ["licet init", "in this directory"],
      ["licet init shop", "in ./shop"],
      ["licet init shop --policy", "with a policy that a lawyer can review, and its tests"],
    ])
    .does(init);
}

async function init(session: Session, dir: string | undefined, { policy = false }: InitFlags): Promise<ExitCode> {
  const { cwd } = session.io;
  const target = resolve(cwd, dir ?? ".");
  const schema = findSchemaAddress(target, packageDirectory());
  const config = renderConfigTemplate(schema, policy ? REVIEWED_POLICIES : PLAIN_POLICIES);
  const created = await writeNewFiles(target, [
    { name: "licet.config.yaml", content: config },
    { name: ".env.example", content: ENV_TEMPLATE },
  ]);
  const gitignore = join(target, ".gitignore");
  const ignored = await ignoreLines(gitignore);
  const files = ignored.isNew ? [...created, gitignore] : created;
  const shown = (path: string) => plainText(relative(cwd, path) || ".");
  const added = ignored.isNew || ignored.added.length === 0 ? [] : [gitignore];
  await session.print({ dir: target, files, added: added.length === 0 ? [] : ignored.added }, () =>
    [
      ...files.map((file) => `wrote ${shown(file)}`),
      ...added.map((file) => `added ${ignored.added.join(" and ")} to ${shown(file)}`),
      "",
      "A fetch that is billed again when it is reported is paid twice, so reporting.billed contains only `use`.",
      "Change it if your agreement charges fetches when they are reported.",
      "",
      "Next:",
      ...(target === cwd ? [] : [`  cd ${shown(target)}`]),
      ...firstSteps().map((step) => `  ${step}`),
      "",
    ].join("\n"),
  );
  return EXIT.done;
}
