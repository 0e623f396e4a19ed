import type { Config } from "../../config/config.ts";
import type { Welcome } from "../../worker/worker-port.ts";
import type { Session } from "./session.ts";

/** What a worker needs of the configuration, without any secret. */
export function toWelcome(
  { gateway, content }: Pick<Config, "gateway" | "content">,
  { id }: Session,
  leaseMs: number,
): Welcome {
  const { baseUrl, service, agentId, userAgent, timeoutMs, licenseIdField, headers, paths } = gateway;
  const { maxInputBytes: inputBytes, maxOutputBytes: outputBytes, timeoutMs: timeMs } = content;
  return {
    session: id,
    gateway: { baseUrl, service, agentId, userAgent, timeoutMs, licenseIdField, headers, paths },
    leaseMs,
    conversion: { inputBytes, outputBytes, timeMs },
  };
}
