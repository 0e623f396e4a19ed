/**
 * Deliveries to an address that is not one of a webhook. Proxies add and strip prefixes and slashes, and somebody registered the URL in other
 * letters: the gateway then sends deliveries that nobody takes.
 */
import type { WebhookConfig } from "../../config/config.ts";

/** A path is not logged longer than this. */
const MAX_LOGGED_CHARS = 200;
const UNPRINTABLE = /[^\x21-\x7e]/g;

export interface MisdirectedRequest {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly authorization: string | undefined;
}

export interface Misdirected {
  /** The webhook whose path is nearly this one. Null: there is none. */
  readonly webhook: Pick<WebhookConfig, "id" | "path"> | null;
}

/**
 * Creates the check of requests that no route takes. Null: the request is not a delivery. A delivery is signed in `Authorization`, where a client of
 * the interface has its token.
 */
export function createMisdirectedCheck(
  webhooks: readonly Pick<WebhookConfig, "id" | "path">[],
): (request: MisdirectedRequest) => Misdirected | null {
  const known = webhooks.map(({ id, path }) => ({ id, path, compared: comparable(path) }));
  return ({ method, path, authorization }) => {
    if (method !== "POST" || known.length === 0 || /^bearer /i.test(authorization ?? "")) {
      return null;
    }
    const sent = comparable(path);
    const near = known.find(({ compared }) => isNear(sent, compared)) ?? null;
    return near === null && authorization === undefined ? null : { webhook: near };
  };
}

/** The same but for letters, slashes and escapes, or one of them with a prefix. Both begin with a slash, so a prefix is of whole parts. */
function isNear(sent: string, configured: string): boolean {
  return sent.endsWith(configured) || (sent.length > 1 && configured.endsWith(sent));
}

function comparable(path: string): string {
  let text = path;
  try {
    text = decodeURIComponent(path);
  } catch {
    // It is compared as it was sent.
  }
  return `/${text
    .toLowerCase()
    .split("/")
    .filter((part) => part !== "")
    .join("/")}`;
}

/** For a log: printable, short, without the query. A path is written by whoever sends it. */
export function loggablePath(path: string): string {
  const text = path.replace(UNPRINTABLE, "?");
  return text.length > MAX_LOGGED_CHARS ? `${text.slice(0, MAX_LOGGED_CHARS)}…` : text;
}
