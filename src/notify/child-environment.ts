import type { Config } from "../config/config.ts";
import { findQueueSecrets } from "../queue/queue-url.ts";

/** Shorter values stand in too many variables by chance. */
const MIN_SECRET_CHARS = 4;

/** With these a program could speak to systemd in the name of the service. */
const OF_SYSTEMD = ["NOTIFY_SOCKET", "WATCHDOG_PID", "WATCHDOG_USEC"];

/** The environment of a program that is told of an alert: this process's, without licet's own variables and without its secrets. */
export function createChildEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  config: Pick<Config, "gateway" | "serve" | "webhooks" | "alerts" | "queue">,
): Record<string, string> {
  const secrets = listSecrets(config).filter((secret) => secret.length >= MIN_SECRET_CHARS);
  return Object.fromEntries(
    Object.entries(env).filter((entry): entry is [string, string] => {
      const [name, value] = entry;
      return (
        value !== undefined &&
        !name.startsWith("LICET_") &&
        !OF_SYSTEMD.includes(name) &&
        !secrets.some((secret) => value.includes(secret))
      );
    }),
  );
}

function listSecrets({
  gateway,
  serve,
  webhooks,
  alerts,
  queue,
}: Parameters<typeof createChildEnvironment>[1]): string[] {
  return [
    gateway.apiKey,
    serve.token,
    ...serve.tokens.map(({ token }) => token),
    ...webhooks.map(({ secret }) => secret),
    ...alerts.flatMap(({ to }) => (to.kind === "webhook" ? [to.url, to.secret] : [])),
    ...findQueueSecrets(queue.url),
  ].filter((secret) => secret !== null);
}
