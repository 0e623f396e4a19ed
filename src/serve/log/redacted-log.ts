/** The last guard of the log: whatever a message contains, no secret of the configuration is written. */
import type { Config } from "../../config/config.ts";
import { redactText } from "../../gateway/redact.ts";
import { findQueueSecrets } from "../../queue/queue-url.ts";
import type { LogFields, ServiceLog } from "./service-log.ts";

export function withoutSecrets(log: ServiceLog, config: Config): ServiceLog {
  const secrets = findSecrets(config);
  const redact = (fields: LogFields) =>
    Object.fromEntries(
      Object.entries(fields).map(([name, value]) => [
        name,
        typeof value === "string" ? redactText(value, secrets) : value,
      ]),
    );
  const at = (level: keyof ServiceLog) => (message: string, fields?: LogFields) =>
    log[level](redactText(message, secrets), fields === undefined ? undefined : redact(fields));
  return { debug: at("debug"), info: at("info"), warn: at("warn") };
}

function findSecrets({ gateway, serve, webhooks, alerts, queue }: Config): string[] {
  return [
    gateway.apiKey,
    serve.token,
    ...serve.tokens.map(({ token }) => token),
    ...webhooks.map(({ secret }) => secret),
    ...alerts.map(({ to }) => (to.kind === "webhook" ? to.secret : null)),
    ...findQueueSecrets(queue.url),
  ].filter((secret) => secret !== null);
}
