/** How the sections of the service fit together. */
import { type ConfigProblem, invalid } from "./config-problem.ts";
import { isLoopback } from "./loopback.ts";
import { type Loose, toSection, toSections, toText } from "./loose-value.ts";
import { findRepeated } from "./repeated-values.ts";

/** Paths of the service itself, or the first parts of them. A webhook with one of these would never be reached. */
const OWN_PATHS = ["/", "/healthz", "/readyz", "/metrics", "/api", "/ledger"];

export function checkService(root: Loose): ConfigProblem[] {
  return [
    ...checkServe(toSection(root.serve)),
    ...checkWebhooks(toSections(root.webhooks)),
    ...checkAlerts(toSections(root.alerts)),
  ];
}

function checkServe(serve: Loose): ConfigProblem[] {
  const host = toText(serve.host);
  return host === null || isLoopback(host) || serve.token !== undefined
    ? []
    : [
        invalid(
          ["serve", "token"],
          `is missing: ${host} is not loopback, so other machines could read what was bought; add token: "\${LICET_SERVE_TOKEN}"`,
        ),
      ];
}

function checkWebhooks(webhooks: readonly Loose[]): ConfigProblem[] {
  const repeated = (["id", "path"] as const).flatMap((key) =>
    findRepeated(
      webhooks.map((webhook) => toText(webhook[key])),
      (index) => ["webhooks", index, key],
      `is already the ${key} of another webhook`,
    ),
  );
  const own = webhooks.flatMap(({ path }, index) => {
    const text = toText(path);
    const isOwn = OWN_PATHS.some(
      (taken) => text === taken || (taken !== "/" && text?.startsWith(`${taken}/`) === true),
    );
    return isOwn
      ? [invalid(["webhooks", index, "path"], "is a path of the service itself; take one such as /webhooks/main")]
      : [];
  });
  return [...repeated, ...own];
}

function checkAlerts(alerts: readonly Loose[]): ConfigProblem[] {
  return alerts.flatMap(({ webhook, exec, secret }, index) => {
    const path = ["alerts", index];
    if ((webhook === undefined) === (exec === undefined)) {
      const what =
        webhook === undefined ? "has no receiver: add webhook or exec" : "has two receivers: keep webhook or exec";
      return [invalid(path, what)];
    }
    return secret !== undefined && webhook === undefined
      ? [invalid([...path, "secret"], "signs only what a webhook receives")]
      : [];
  });
}
