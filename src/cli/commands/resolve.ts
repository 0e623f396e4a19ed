import type { Command } from "commander";
import { LicetError } from "../../errors.ts";
import { EXIT, type ExitCode } from "../exit-code.ts";
import { formatAmount } from "../format-values.ts";
import { examples, parseCount } from "../parse-arguments.ts";
import { plainText } from "../plain-text.ts";
import type { RunCommand } from "../program.ts";
import type { Session } from "../session.ts";

interface ResolveFlags {
  readonly charged?: true;
  readonly notCharged?: true;
}

export function addResolveCommand(program: Command, run: RunCommand): void {
  program
    .command("resolve")
    .description("settle or release a purchase in doubt by hand, once the gateway's books say what happened")
    .argument("<purchase>", "its number, from `licet status`", parseCount)
    .option("--charged", "the gateway charged it: its price counts as spent")
    .option("--not-charged", "it did not: its price is free again, and the page may be bought again")
    .addHelpText(
      "after",
      examples([
        ["licet status", "lists what is in doubt"],
        ["licet resolve 42 --charged", ""],
        ["licet resolve 42 --not-charged", ""],
      ]),
    )
    .action((purchaseId: number, flags: ResolveFlags) => run((session) => resolvePurchase(session, purchaseId, flags)));
}

async function resolvePurchase(
  session: Session,
  purchaseId: number,
  { charged = false, notCharged = false }: { charged?: boolean; notCharged?: boolean },
): Promise<ExitCode> {
  if (charged === notCharged) {
    throw new LicetError("USAGE_INVALID", "say exactly one of --charged and --not-charged", {
      hint: `licet resolve ${purchaseId} --charged, or licet resolve ${purchaseId} --not-charged`,
    });
  }
  return session.withAgent(async (agent) => {
    const resolved = await agent.resolve(purchaseId, charged);
    const { state, url, amount } = resolved;
    const price = amount === null ? "" : ` at ${formatAmount(amount.micros, amount.currency)}`;
    await session.print(resolved, () => `${plainText(`Purchase ${purchaseId} is ${state}${price}: ${url}`)}\n`);
    return EXIT.done;
  });
}
