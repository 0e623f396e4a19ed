/** How the sections of the service fit together. */
import { type ConfigProblem, invalid } from "../config-problem.ts";
import { isLoopback } from "../loopback.ts";
import { type Loose, toSection, toSections, toText } from "./loose-value.ts";
import { findRepeated } from "./repeated-values.ts";

/** Paths of the service itself, or the first parts of them. A webhook with one of these would never be reached. */
const OWN_PATHS = ["/", "/healthz", "/readyz", "/metrics", "/api", "/ledger"];

/** A token that can be guessed is refused where other machines reach the service: nobody is locked out after wrong ones. */
const LONG_TOKEN_CHARS = 16;
const LONG_TOKEN = `${LONG_TOKEN_CHARS} characters`;

export function checkService(root: Loose): ConfigProblem[] {
  return [
    ...checkServe(toSection(root.serve)),
    ...checkWebhooks(toSections(root.webhooks)),
    ...checkAlerts(toSections(root.alerts)),
  ];
}

function checkServe(serve: Loose): ConfigProblem[] {
  const host = toText(serve.host);
  const token = toText(serve.token);
  if (host === null || isLoopback(host)) {
    return [];
  }
  if (serve.token === undefined) {
    return [
      invalid(
        ["serve", "token"],
        `is missing: ${host} is not loopback, so other machines could read what was bought; add token: "\${LICET_SERVE_TOKEN}"`,
      ),
    ];
  }
  return token !== null && token.length < LONG_TOKEN_CHARS
    ? [invalid(["serve", "token"], `is too short for ${host}, which is not loopback: ${LONG_TOKEN} at least`)]
    : [];
}

/** @returns a warning, or null */
export function warnOfShortToken(token: string | null): string | null {
  return token === null || token.length >= LONG_TOKEN_CHARS
    ? null
    : `serve.token can be guessed: it has ${token.length} characters; give it ${LONG_TOKEN} or more`;
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
