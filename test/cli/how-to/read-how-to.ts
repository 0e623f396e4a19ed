/**
 * A document of docs/how-to as steps. What a reader sees is what is run:
 *
 * - ```` ```sh ```` is a script for the shell; ```` ```sh exit=3 ```` ends with that exit code, else 0.
 * - ```` ```text ```` below it is what the script prints, line by line; `…` stands for anything in a line, and a line of `…` for other lines.
 * - ```` ```yaml ```` are sections of the configuration: each replaces the section of its name.
 * - `<!-- test: verb {…} -->`, which no reader sees, does to the gateway or to a process what the document only tells.
 */
export type Step =
  | { readonly kind: "script"; readonly text: string; readonly exit: number; readonly printed: readonly string[] }
  | { readonly kind: "configure"; readonly text: string }
  | { readonly kind: "test"; readonly verb: string; readonly json: string };

/** Languages of blocks that are read and not run: no test can run them, or they are the content of another file. */
const SHOWN = new Set(["dockerfile", "yml", "console"]);
const DEFAULT_EXIT = 0;

const PART = /^<!-- test: (\w+)(?: (.*))? -->$|^```(\w*)(?: exit=(\d+))?\n([\s\S]*?)^```$/gm;

/** @throws Error naming a block that belongs to no kind */
export function readHowTo(markdown: string): Step[] {
  const steps: Step[] = [];
  for (const [whole, verb, json = "{}", language = "", exit, text = ""] of markdown.matchAll(PART)) {
    const last = steps.at(-1);
    if (verb !== undefined) {
      steps.push({ kind: "test", verb, json });
    } else if (language === "sh") {
      steps.push({ kind: "script", text, exit: exit === undefined ? DEFAULT_EXIT : Number(exit), printed: [] });
    } else if (language === "yaml") {
      steps.push({ kind: "configure", text });
    } else if (language === "text" && last?.kind === "script") {
      steps[steps.length - 1] = { ...last, printed: text.trimEnd().split("\n") };
    } else if (!SHOWN.has(language)) {
      throw new Error(`neither run nor known: ${whole.slice(0, 80)}`);
    }
  }
  return steps;
}

/** The first line that was promised and not printed after the lines before it; null when all were. */
export function findMissing(promised: readonly string[], output: string): string | null {
  const lines = output.split("\n").map((line) => line.trimEnd());
  let from = 0;
  for (const line of promised.filter((text) => text.trim() !== "…" && text.trim() !== "")) {
    const pattern = new RegExp(`^${line.trimEnd().split("…").map(escapePattern).join(".*")}$`);
    const at = lines.findIndex((printed, index) => index >= from && pattern.test(printed));
    if (at < 0) {
      return line;
    }
    from = at + 1;
  }
  return null;
}

function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
