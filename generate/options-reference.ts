/** docs/options.md: each command with its arguments and options, as its help has them. */
import type { Argument, Command, Option } from "commander";

const INTRODUCTION = `# Options

<!-- Generated from the commands by \`npm run schema:generate\`. Do not edit. -->

What \`licet COMMAND --help\` says of each option. [commands.md](commands.md) has examples, exit codes and what a command does with them.
`;

/** @param program all commands */
export function renderOptionsReference(program: Command): string {
  const overview = program.commands.map(
    (command) => `| [\`licet ${command.name()}\`](#licet-${command.name()}) | ${command.description()} |`,
  );
  const sections = program.commands.flatMap((command) => [
    `## licet ${command.name()}`,
    `\`licet ${command.name()} ${command.usage()}\``,
    tableOf(command),
  ]);
  const parts = [
    INTRODUCTION.trim(),
    ["| command | does |", "|---|---|", ...overview].join("\n"),
    "## Every command",
    "Before or after its name.",
    tableOf(program),
    ...sections,
  ];
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
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
