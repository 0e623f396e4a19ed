import type { CompletionOption, CompletionWords } from "./completion-words.ts";

/**
 * A function for bash 3.2 and newer. Where it has no words, bash completes file names (`-o default`), but not as values that are not files
 * (`compopt`, of bash 4). Bash takes `--order=ch` for three words, unless `COMP_WORDBREAKS` has no `=`: then the answer has the whole word.
 */
export function toBashCompletion({ shared, commands }: CompletionWords): string {
  const all = [...shared, ...commands.flatMap(({ options }) => options)];
  const takesValue = unique(all.filter(({ value }) => value.kind !== "none").flatMap(namesOf));
  const lines = [
    '# Add to ~/.bashrc:  eval "$(licet completion bash)"',
    "_licet() {",
    "  local cur prev command words i first=",
    "  COMPREPLY=()",
    `  cur="\${COMP_WORDS[COMP_CWORD]}"`,
    `  prev="\${COMP_WORDS[COMP_CWORD - 1]}"`,
    '  if [ "$cur" = = ]; then cur=',
    `  elif [ "$prev" = = ] && ((COMP_CWORD > 1)); then prev="\${COMP_WORDS[COMP_CWORD - 2]}"`,
    `  elif [[ $cur == --*=* ]]; then prev="\${cur%%=*}" first="\${cur%%=*}=" cur="\${cur#*=}"; fi`,
    "  command=",
    "  for ((i = 1; i < COMP_CWORD; i++)); do",
    `    case "\${COMP_WORDS[i]}" in`,
    `      ${takesValue.join("|")}) ((i++)); [ "\${COMP_WORDS[i]}" = = ] && ((i++)) ;;`,
    "      -*) ;;",
    `      *) command="\${COMP_WORDS[i]}"; break ;;`,
    "    esac",
    "  done",
    '  case "$command $prev" in',
    ...commands.flatMap(({ name, options }) => valueCases(name, [...options, ...shared])),
    ...valueCases("", shared),
    "  esac",
    '  case "$command" in',
    ...commands.map(({ name, options, argument }) => {
      const words = argument.kind === "words" ? argument.words : [];
      return `    ${name}) words="${[...words, ...namesIn(options), ...namesIn(shared)].join(" ")}" ;;`;
    }),
    `    *) words="${[...commands.map(({ name }) => name), ...namesIn(shared)].join(" ")}" ;;`,
    "  esac",
    '  COMPREPLY=($(compgen -W "$words" -- "$cur"))',
    "}",
    "complete -o default -F _licet licet",
  ];
  return `${lines.join("\n")}\n`;
}

/** What follows an option of a command: its words, or whatever bash completes by itself. */
function valueCases(command: string, options: readonly CompletionOption[]): string[] {
  return options.flatMap((option) => {
    const { value } = option;
    if (value.kind === "none") {
      return [];
    }
    const pattern = namesOf(option)
      .map((name) => `"${command} ${name}"`)
      .join("|");
    const reply =
      value.kind === "words" ? `COMPREPLY=($(compgen -P "$first" -W "${value.words.join(" ")}" -- "$cur")); ` : "";
    const noFiles = value.kind === "words" || value.kind === "other" ? "compopt +o default 2>/dev/null; " : "";
    return [`    ${pattern}) ${noFiles}${reply}return ;;`];
  });
}

function namesIn(options: readonly CompletionOption[]): string[] {
  return options.map(({ long }) => long);
}

function namesOf({ long, short }: CompletionOption): string[] {
  return short === null ? [long] : [short, long];
}

function unique(names: readonly string[]): string[] {
  return [...new Set(names)];
}
