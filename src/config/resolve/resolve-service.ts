/** Resolves the sections of the service: `serve`, `webhooks`, `history`, `alerts`, and the schedule of a site. */
import { assertBug } from "../../errors.ts";
import { parseDuration, toMs } from "../../time/duration.ts";
import type { AlertConfig, AlertEvent, Config, ScheduleConfig } from "../config.ts";
import type { ConfigPath } from "../config-problem.ts";
import type { ConfigDocument } from "../schema/config-schema.ts";

export function resolveService(
  document: Pick<ConfigDocument, "serve" | "webhooks" | "history" | "alerts">,
): Pick<Config, "serve" | "webhooks" | "history" | "alerts"> {
  const { serve, webhooks, history, alerts } = document;
  return {
    serve: { ...serve, token: serve.token ?? null, shutdownMs: toMs(serve.shutdownMs) },
    webhooks: webhooks.map((webhook) => ({
      ...webhook,
      sourceIp: webhook.sourceIp ?? null,
      userAgent: webhook.userAgent ?? null,
    })),
    history: { everyMs: parseDuration(history.every), overlapMs: parseDuration(history.overlap) },
    alerts: alerts.map(resolveAlert),
  };
}

export function resolveSchedule(schedule: NonNullable<ConfigDocument["sites"][number]["schedule"]>): ScheduleConfig {
  return typeof schedule === "string"
    ? { cron: schedule.trim(), timeZone: "UTC", misfire: "once" }
    : { ...schedule, cron: schedule.cron.trim() };
}

/** The paths of the texts that should come from the environment. */
export function findServiceSecrets({ serve, webhooks, alerts }: ConfigDocument): ConfigPath[] {
  return [
    ...(serve.token === undefined ? [] : [["serve", "token"]]),
    ...webhooks.map((_, index) => ["webhooks", index, "secret"]),
    ...alerts.flatMap(({ secret }, index) => (secret === undefined ? [] : [["alerts", index, "secret"]])),
  ];
}

function resolveAlert({ on, webhook, secret, exec }: ConfigDocument["alerts"][number]): AlertConfig {
  const durations = on.flatMap((event) => (typeof event === "string" ? [] : [parseDuration(event.unreported_for)]));
  assertBug(webhook !== undefined || exec !== undefined, "an alert was checked to have a receiver");
  return {
    on: [...new Set(on.filter((event): event is AlertEvent => typeof event === "string"))],
    unreportedForMs: durations.length === 0 ? null : Math.min(...durations),
    to:
      webhook === undefined
        ? { kind: "exec", command: exec ?? [] }
        : { kind: "webhook", url: webhook, secret: secret ?? null },
  };
}
