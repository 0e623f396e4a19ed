/** The receivers of alerts in `agent.check`: whether each can be used, or, when asked for, whether it takes a test. */
import { assertLicetError } from "../../errors.ts";
import { checkReceiver } from "../../notify/check-receiver.ts";
import { createNotifierOn } from "../alerts/alerting.ts";
import type { Resources } from "../compose.ts";
import { type CheckFinding, failed, passed } from "./check-report.ts";

export async function checkAlerts(resources: Resources, sendsTest: boolean): Promise<CheckFinding[]> {
  const notifier = createNotifierOn(resources, { debug: () => {}, warn: () => {} });
  return Promise.all(
    notifier.receivers.map(async (receiver): Promise<CheckFinding> => {
      const found = sendsTest
        ? await notifier.sendTest(receiver)
        : await checkReceiver(receiver, process.env.PATH ?? "");
      const again = sendsTest && found.ok ? await retryGivenUp(resources, receiver.receiver) : 0;
      const given = again === 0 ? "" : `; what was given up for it (${again}) is delivered again`;
      const fine = sendsTest ? `took a test${given}` : "can be used; licet check --alerts sends a test";
      const name = `alerts: ${receiver.label}`;
      return found.ok ? passed(name, fine) : failed(name, found.error, { hint: HINTS[receiver.to.kind] });
    }),
  );
}

/** Whoever took a test is mended. The service, or the next run, delivers. @returns how many; 0 where the ledger cannot be written */
async function retryGivenUp({ ledger, clock }: Resources, receiver: string): Promise<number> {
  try {
    return await (await ledger("existing")).retryGivenUp({ receivers: [receiver], now: clock.now() });
  } catch (error) {
    assertLicetError(error);
    return 0;
  }
}

const HINTS = {
  webhook: "check `alerts[].webhook`, and that this machine reaches the address; a receiver answers with 2xx",
  exec: "check `alerts[].exec`: a program and its arguments, not a line for a shell; it ends with 0",
} as const;
