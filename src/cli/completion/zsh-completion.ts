import type { CompletionOption, CompletionWords, ValueKind } from "./completion-words.ts";

/** A function for zsh, to be evaluated or to be a file `_licet` in a directory of `fpath`. */
export function toZshCompletion({ shared, commands }: CompletionWords): string {
  const lines = [
    "#compdef licet",
    '# Add to ~/.zshrc, after compinit:  eval "$(licet completion zsh)"',
    "_licet() {",
    "  local curcontext=$curcontext state",
    "  local -a commands",
    "  commands=(",
    ...commands.map(({ name, description }) => `    ${quote(`${name}:${escapeColons(description)}`)}`),
    "  )",
    `  _arguments -C ${shared.map(toSpec).join(" ")} '1: :->command' '*:: :->argument'`,
    "  case $state in",
    "    command) _describe command commands ;;",
    "    argument)",
    "      case $words[1] in",
    ...commands.map(({ name, options, argument }) => {
      const specs = [...options, ...shared].map(toSpec);
      return `        ${name}) _arguments ${[...specs, toArgument(argument)].join(" ")} ;;`;
    }),
    "      esac ;;",
    "  esac",
    "}",
    'if [ "$funcstack[1]" = "_licet" ]; then _licet "$@"; else compdef _licet licet; fi',
  ];
  return `${lines.join("\n")}\n`;
}

/** `'(-c --config)'{-c+,--config=}'[configuration]:file:_files'`: the value is the next word, or behind the `=`. */
function toSpec({ long, short, description, value }: CompletionOption): string {
  const rest = quote(`[${escapeBrackets(description)}]${toAction(value, long.slice(2))}`);
  const [ofLong, ofShort] = value.kind === "none" ? [long, short] : [`${long}=`, `${short}+`];
  return short === null ? ofLong + rest : `${quote(`(${short} ${long})`)}{${ofShort},${ofLong}}${rest}`;
}

function toArgument(value: ValueKind): string {
  return value.kind === "none" ? "" : quote(`*${toAction(value, "argument")}`);
}

function toAction(value: ValueKind, name: string): string {
  switch (value.kind) {
    case "none":
      return "";
    case "words":
      return `:${name}:(${value.words.join(" ")})`;
    case "file":
      return `:${name}:_files`;
    case "directory":
      return `:${name}:_files -/`;
    case "other":
      return `:${name}: `;
    default:
      return value satisfies never;
  }
}

function escapeBrackets(text: string): string {
  return text.replace(/[[\]\\]/g, "\\$&");
}

function escapeColons(text: string): string {
  return text.replace(/[:\\]/g, "\\$&");
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
