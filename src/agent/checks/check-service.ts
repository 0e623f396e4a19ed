/** What `agent.check` says of the service: whether one is at work on this ledger, and which of its settings are unsafe. */
import type { Config } from "../../config/config.ts";
import { assertLicetError } from "../../errors.ts";
import { isLoopback } from "../../loopback.ts";
import type { Resources } from "../compose.ts";
import { readService } from "../known-service.ts";
import { processLabel } from "../this-process.ts";
import { type CheckFinding as Check, passed, warned } from "./check-report.ts";

export async function checkService(resources: Resources): Promise<readonly Check[]> {
  return [...(await checkWorking(resources)), ...checkSettings(resources.config)];
}

/** Nothing where there was no service, or no ledger that can be read: that is another check. */
async function checkWorking(resources: Resources): Promise<readonly Check[]> {
  try {
    const service = await readService(resources, await resources.ledger("read"));
    if (service === null || service.expiresAt === null) {
      return [];
    }
    const label = processLabel(service.process);
    const where = service.url === null ? label : `${label} at ${service.url}`;
    return [
      service.isAlive
        ? passed("service", `at work: ${where}`)
        : warned("service", `not at work: ${where} did not stop in order`, {
            hint: "start it again: licet serve. It continues with what was left",
          }),
    ];
  } catch (error) {
    assertLicetError(error);
    return [];
  }
}

function checkSettings({ serve, gateway }: Config): readonly Check[] {
  const isOpen = !isLoopback(serve.host) && serve.trustProxy === false;
  const isShort = serve.shutdownMs < gateway.timeoutMs;
  const open = `serve.host ${serve.host}: the HTTP interface is not encrypted, and others on the network can read the token`;
  const short = `serve.shutdownMs (${serve.shutdownMs}) is shorter than gateway.timeoutMs (${gateway.timeoutMs}): a stop may leave started purchases to the next start`;
  const behindProxy = "let it listen on 127.0.0.1 behind a proxy that ends TLS, and set serve.trustProxy";
  return [
    ...(isOpen ? [warned("serve", open, { hint: behindProxy })] : []),
    ...(isShort ? [warned("serve", short, { hint: "make serve.shutdownMs longer than gateway.timeoutMs" })] : []),
  ];
}
