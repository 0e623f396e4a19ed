import { LicetError } from "../../errors.ts";
import type { Money } from "../../money/money.ts";
import type { CliCommand } from "../cli-command.ts";
import { createCurrentAgent } from "../current-agent.ts";
import { EXIT, type ExitCode } from "../exit-code.ts";
import { parseMoneyArgument } from "../input/parse-arguments.ts";
import { watchInterrupts } from "../interrupts.ts";
import { createEventLog } from "../log/event-log.ts";
import { describeCopy, type Session } from "../session.ts";

interface McpFlags {
  readonly buy?: true;
  readonly maxSpend?: Money;
  readonly maxPrice?: Money;
}

export function declareMcp(command: CliCommand): void {
  command
    .option("--buy", "let the agent buy pages, under all budgets (default: it only reads what is held)")
    .option(
      "--max-spend <amount>",
      'the most that this process buys for, over all calls, such as "1 USD"',
      parseMoneyArgument,
    )
    .option(
      "--max-price <amount>",
      'the most that one page may cost, its fee included, such as "0.05 USD"',
      parseMoneyArgument,
    )
    .examples([
      ["licet mcp", "read-only: what is held"],
      ['licet mcp --buy --max-spend "1 USD"', "buys, for 1 USD at most until it ends"],
    ])
    .does(serveTools);
}

/** Ends when standard input ends, or with a signal: then what has started is finished. */
async function serveTools(session: Session, { buy, maxSpend, maxPrice }: McpFlags): Promise<ExitCode> {
  if (buy === undefined && (maxSpend !== undefined || maxPrice !== undefined)) {
    throw new LicetError("USAGE_INVALID", "--max-spend and --max-price limit what is bought, and nothing is bought", {
      hint: "Add --buy, or leave them out.",
    });
  }
  const { io, logging } = session;
  const log = createEventLog(io, logging);
  const interrupts = watchInterrupts(io, {
    say: log.warn,
    finishing: "started purchases are being finished",
    farewell: () => "nothing is lost; the next run or fetch continues",
  });
  try {
    const first = await session.loadConfig();
    const [{ serveMcp }, { checkSpendCurrency }, openAgent] = await Promise.all([
      import("../../mcp/mcp-server.ts"),
      import("../../agent/calls/call-settings.ts"),
      session.agentOpener(),
    ]);
    checkSpendCurrency(first, maxSpend ?? null);
    const agents = createCurrentAgent(first, {
      load: session.loadConfig,
      open: (config) => {
        const agent = openAgent(config);
        agent.on("warning", ({ message }) => log.warn(message));
        agent.on("ledger.restored", ({ madeAt }) => log.warn(describeCopy(madeAt)));
        return agent;
      },
    });
    try {
      const terms = { buys: buy === true, maxSpend: maxSpend ?? null, maxPrice: maxPrice ?? null };
      const { version, stdin, stdout } = io;
      await serveMcp(
        { withAgent: agents.withAgent, terms, version, warn: log.warn, ending: interrupts.signal },
        { input: stdin, write: (text) => stdout.write(text) },
      );
      return EXIT.done;
    } finally {
      await agents.close();
    }
  } finally {
    interrupts.stop();
  }
}
