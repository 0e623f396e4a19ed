import type { ActingOptions } from "../../agent/acts/acted-by.ts";
import { INPUTS } from "../../agent/calls/inputs.ts";
import type { PauseReport } from "../../agent/pauses/pause-agent.ts";
import { plainText } from "../../plain-text.ts";
import type { CliCommand } from "../cli-command.ts";
import type { ExitCode } from "../exit-code.ts";
import { formatInstant } from "../output/format-values.ts";
import { parseHost } from "../output/host-name.ts";
import type { Session } from "../session.ts";

interface PauseFlags extends ActingOptions {
  readonly end?: true;
}

export function declarePause(command: CliCommand): void {
  command
    .argument("<host>", "the site", parseHost)
    .option("--end", "end the pause: the next run buys from the site again")
    .acting(INPUTS.pauseSite)
    .examples([
      ['licet pause news.example --reason "the contract is renewed"', "runs under way stop the site too"],
      ["licet status", "names the sites that are paused"],
      ["licet pause news.example --end", ""],
    ])
    .does(pause);
}

function pause(session: Session, host: string, { end, ...acting }: PauseFlags): Promise<ExitCode> {
  return session.answerFromLedger(
    (agent) => (end === true ? agent.unpauseSite(host, acting) : agent.pauseSite(host, acting)),
    formatPause,
  );
}

export function formatPause({ host, changed, pause }: PauseReport): string {
  if (pause === null) {
    return changed
      ? `The pause of ${host} has ended: the next run buys from it again.\n`
      : `${host} is not paused: nothing was changed.\n`;
  }
  const who = `${pause.by === null ? "" : ` by ${plainText(pause.by)}`}${pause.reason === null ? "" : `: ${plainText(pause.reason)}`}`;
  return changed
    ? `${host} is paused${who}. Nothing is bought from it until: licet pause ${host} --end\n`
    : `${host} is paused since ${formatInstant(pause.at)}${who}: nothing was changed.\n`;
}
