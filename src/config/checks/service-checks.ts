/** How the sections of the service fit together. */
import { SERVE_TOKEN, SERVICE } from "../../act/act.ts";
import { isLoopback } from "../../loopback.ts";
import type { ServeConfig } from "../config.ts";
import { type ConfigPath, type ConfigProblem, invalid } from "../config-problem.ts";
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
  const tokens = toSections(serve.tokens);
  const problems = checkTokens(serve, tokens);
  if (host === null || isLoopback(host)) {
    return problems;
  }
  if (serve.token === undefined && tokens.length === 0) {
    const why = `is missing: ${host} is not loopback, so other machines could read what was bought`;
    return [...problems, invalid(["serve", "token"], `${why}; add token: "\${LICET_SERVE_TOKEN}"`)];
  }
  const short = listTokens(serve, tokens).filter(({ token }) => token.length < LONG_TOKEN_CHARS);
  const message = `is too short for ${host}, which is not loopback: ${LONG_TOKEN} at least`;
  return [...problems, ...short.map(({ path }) => invalid(path, message))];
}

/** A name tells who decided, and a token tells the name: each must be one. */
function checkTokens(serve: Loose, tokens: readonly Loose[]): ConfigProblem[] {
  const pathOf = (index: number, key: string): ConfigPath => ["serve", "tokens", index, key];
  const names = tokens.map(({ name }) => toText(name));
  const taken = names.flatMap((name, index) =>
    name === SERVICE || name === SERVE_TOKEN
      ? [invalid(pathOf(index, "name"), "is a name that licet itself uses; take another one")]
      : [],
  );
  const repeatedNames = findRepeated(names, (index) => pathOf(index, "name"), "is already the name of another token");
  const values = listTokens(serve, tokens);
  const repeated = findRepeated(
    values.map(({ token }) => token),
    (index) => values[index]?.path ?? ["serve", "tokens"],
    "is already another token of the service",
  );
  return [...taken, ...repeatedNames, ...repeated];
}

function listTokens(serve: Loose, tokens: readonly Loose[]): { readonly token: string; readonly path: ConfigPath }[] {
  const own = { token: toText(serve.token), path: ["serve", "token"] };
  const named = tokens.map(({ token }, index) => ({ token: toText(token), path: ["serve", "tokens", index, "token"] }));
  return [own, ...named].flatMap(({ token, path }) => (token === null ? [] : [{ token, path }]));
}

/** @returns a warning for each token that can be guessed */
export function warnOfShortTokens(serve: Pick<ServeConfig, "token" | "tokens">): string[] {
  const named = serve.tokens.map(({ name, token }) => ({ what: `the token ${name} of serve.tokens`, token }));
  const all = serve.token === null ? named : [{ what: SERVE_TOKEN, token: serve.token }, ...named];
  return all
    .filter(({ token }) => token.length < LONG_TOKEN_CHARS)
    .map(
      ({ what, token }) => `${what} can be guessed: it has ${token.length} characters; give it ${LONG_TOKEN} or more`,
    );
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
  return alerts.flatMap(({ webhook, exec, secret, form }, index) => {
    const path = ["alerts", index];
    if ((webhook === undefined) === (exec === undefined)) {
      const what =
        webhook === undefined ? "has no receiver: add webhook or exec" : "has two receivers: keep webhook or exec";
      return [invalid(path, what)];
    }
    return webhook !== undefined
      ? []
      : [
          ...(secret === undefined ? [] : [invalid([...path, "secret"], "signs only what a webhook receives")]),
          ...(form === undefined ? [] : [invalid([...path, "form"], "is the form of what a webhook receives")]),
        ];
  });
}
