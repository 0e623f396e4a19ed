/** The message of what was thrown. The sandbox shares no code with licet, so it has its own. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
