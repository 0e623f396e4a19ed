import type { CompletionOption, CompletionWords, ValueKind } from "./completion-words.ts";

/** One `complete` a command and option, for fish 3 and newer. */
export function toFishCompletion({ shared, commands }: CompletionWords): string {
  const lines = [
    "# Add to ~/.config/fish/config.fish:  licet completion fish | source",
    "complete -c licet -f",
    ...shared.map((option) => toOption("", option)),
    ...commands.flatMap(({ name, description, options, argument }) => {
      const inCommand = `-n ${quote(`__fish_seen_subcommand_from ${name}`)}`;
      return [
        `complete -c licet -n __fish_use_subcommand -a ${name} -d ${quote(description)}`,
        ...(argument.kind === "none" ? [] : [`complete -c licet ${inCommand} ${toValue(argument)}`.trimEnd()]),
        ...options.map((option) => toOption(inCommand, option)),
      ].filter((line) => !line.endsWith(inCommand));
    }),
  ];
  return `${lines.join("\n")}\n`;
}

function toOption(condition: string, { long, short, description, value }: CompletionOption): string {
  const names = `-l ${long.slice(2)}${short === null ? "" : ` -s ${short.slice(1)}`}`;
  // -x forbids file names, which fish offers as values of options in spite of -f.
  const takes = value.kind === "none" ? "" : ` ${value.kind === "file" ? "-r" : "-x"} ${toValue(value)}`.trimEnd();
  return `complete -c licet ${condition === "" ? "" : `${condition} `}${names}${takes} -d ${quote(description)}`;
}

function toValue(value: ValueKind): string {
  switch (value.kind) {
    case "words":
      return `-a ${quote(value.words.join(" "))}`;
    case "file":
      return "-F";
    case "directory":
      return `-a ${quote("(__fish_complete_directories)")}`;
    case "none":
    case "other":
      return "";
    default:
      return value satisfies never;
  }
}

function quote(text: string): string {
  return `'${text.replace(/['\\]/g, "\\$&")}'`;
}
