import type { Command } from "commander";
import { createEventLog } from "../event-log.ts";
import { EXIT, type ExitCode } from "../exit-code.ts";
import { watchInterrupts } from "../interrupts.ts";
import { examples } from "../parse-arguments.ts";
import type { RunCommand } from "../program.ts";
import type { Session } from "../session.ts";

export function addServeCommand(program: Command, run: RunCommand): void {
  program
    .command("serve")
    .description("the long-running service: schedules, webhooks, reports by the clock, an HTTP interface")
    .addHelpText("after", examples([["licet serve", "until SIGTERM or Ctrl-C"]]))
    .action(() => run(serve));
}

async function serve(session: Session): Promise<ExitCode> {
  const { startService } = await import("../../serve/service.ts");
  const log = createEventLog(session.io, session.logging);
  const service = await startService(await session.loadConfig(), log);
  log.info(`the service listens on ${service.url}`, { url: service.url });
  const interrupts = watchInterrupts(session.io, {
    say: log.warn,
    finishing: "started purchases are finished and uses are reported",
    farewell: () => "nothing is lost; the next service continues",
  });
  await new Promise<void>((resolve) => interrupts.signal.addEventListener("abort", () => resolve(), { once: true }));
  await service.stop();
  interrupts.stop();
  return EXIT.done;
}
