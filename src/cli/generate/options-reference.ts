/** docs/options.md: each command with its arguments and options, as its help has them. */
import type { Argument, Command, Option } from "commander";

const INTRODUCTION = `# Options

<!-- Generated from the commands by \`npm run schema:generate\`. Do not edit. -->

What \`licet COMMAND --help\` says of each option. [commands.md](commands.md) has examples, exit codes and what a command does with them.
`;

/** @param program all commands */
export function renderOptionsReference(program: Command): string {
  const shared = `## Every command\n\nBefore or after its name.\n\n${tableOf(program)}\n`;
  const sections = program.commands.map((command) => {
    const usage = `\`licet ${command.name()} ${command.usage()}\``;
    const description = command.description();
    return [
      `## licet ${command.name()}`,
      usage,
      `${description.slice(0, 1).toUpperCase()}${description.slice(1)}.`,
      tableOf(command),
    ]
      .filter((part) => part !== "")
      .join("\n\n");
  });
  return `${[INTRODUCTION, shared, ...sections.map((section) => `${section}\n`)].join("\n")}`;
}

function tableOf(command: Command): string {
  const rows = [
    ...command.registeredArguments.map((one) => [nameOf(one), one.description] as const),
    ...command.options.map((option) => [option.flags, describe(option)] as const),
  ].map(([name, meaning]) => `| \`${name}\` | ${meaning.replaceAll("|", "\\|")} |`);
  return rows.length === 0 ? "" : ["| option | does |", "|---|---|", ...rows].join("\n");
}

function nameOf(argument: Argument): string {
  const name = `${argument.name()}${argument.variadic ? "..." : ""}`;
  return argument.required ? `<${name}>` : `[${name}]`;
}

function describe({ description, defaultValue, argChoices }: Option): string {
  const choices = argChoices === undefined ? "" : `: ${argChoices.map((one) => `\`${one}\``).join(" ")}`;
  return `${description}${choices}${defaultValue === undefined ? "" : ` (default: ${defaultValue})`}`;
}
