/** The start that `licet init` prints. The README shows the same text. */

const STEPS = [
  ["cp .env.example .env", "the gateway's address, your key and your AgentID; licet reads .env by itself"],
  ["npx licet sandbox", "in another terminal: a local gateway for these values. Or put your own into .env"],
  ["npx licet check", "is everything in place?"],
  ["npx licet plan", "which pages would be bought, why the others would not, and the cost"],
  ["npx licet run", "buy the pages; the run can be killed at any time, and the next one continues"],
  ["npx licet audit", "does the ledger keep the promises?"],
] as const;

const COMMAND_COLUMNS = Math.max(...STEPS.map(([command]) => command.length)) + 2;

/** One command a line, with what it does. They run where `licet init` wrote its files. */
export function firstSteps(): readonly string[] {
  return STEPS.map(([command, does]) => `${command.padEnd(COMMAND_COLUMNS)}# ${does}`);
}
