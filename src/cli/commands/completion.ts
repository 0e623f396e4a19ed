import { Argument } from "commander";
import type { CliCommand } from "../cli-command.ts";
import { toBashCompletion } from "../completion/bash-completion.ts";
import { type CompletionWords, readCompletionWords } from "../completion/completion-words.ts";
import { toFishCompletion } from "../completion/fish-completion.ts";
import { toZshCompletion } from "../completion/zsh-completion.ts";
import { EXIT } from "../exit-code.ts";

const SHELLS = { bash: toBashCompletion, zsh: toZshCompletion, fish: toFishCompletion } as const satisfies Record<
  string,
  (words: CompletionWords) => string
>;

export function declareCompletion(command: CliCommand): void {
  command
    .addArgument(new Argument("<shell>", "the shell").choices(Object.keys(SHELLS)))
    .examples([
      ['eval "$(licet completion bash)"', "in ~/.bashrc"],
      ['eval "$(licet completion zsh)"', "in ~/.zshrc, after compinit"],
      ["licet completion fish | source", "in ~/.config/fish/config.fish"],
    ])
    .does(async (session, shell: keyof typeof SHELLS) => {
      const script = SHELLS[shell](readCompletionWords(command.parent ?? command));
      await session.print({ shell, script }, () => script);
      return EXIT.done;
    });
}
