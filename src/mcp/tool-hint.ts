/** The commands that an agent has as tools. */
const TOOL_COMMANDS = /`?\blicet (fetch|explain)\b(?: URL)?`?/g;

/** A hint for whoever has tools and no shell: it names the tool, or says that a person is needed. */
export function toToolHint(hint: string): string {
  const named = hint.replace(TOOL_COMMANDS, (_, tool: string) => `the tool ${tool}`);
  return /\blicet [a-z]/.test(named) ? `Ask a person, who has these commands. ${named}` : named;
}
