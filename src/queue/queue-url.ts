import { LicetError } from "../errors.ts";

/** The parts of `queue.url`. It contains secrets; only `place` may appear in messages. */
export type QueueAddress =
  | { readonly kind: "embedded"; readonly place: string }
  | { readonly kind: "redis"; readonly place: string; readonly redis: RedisAddress };

export interface RedisAddress {
  readonly host?: string;
  readonly port?: number;
  /** A Unix socket, instead of host and port. */
  readonly path?: string;
  readonly username?: string;
  readonly password?: string;
  readonly db?: number;
  /** TLS, for `rediss://`. */
  readonly tls: boolean;
}

const REDIS_DEFAULT_PORT = 6379;
const HINT = "Write queue.url as embedded, redis://host:6379/0, rediss://…, or redis+unix:///path/to/redis.sock.";

/**
 * Parses `queue.url`.
 * @throws LicetError CONFIG_INVALID. The message never contains the URL, which may contain a password.
 */
export function parseQueueUrl(url: string): QueueAddress {
  if (url === "embedded") {
    return { kind: "embedded", place: "the embedded queue" };
  }
  const parsed = URL.parse(url);
  if (parsed === null) {
    throw new LicetError("CONFIG_INVALID", "queue.url is not a URL", { hint: HINT });
  }
  switch (parsed.protocol) {
    case "redis:":
    case "rediss:":
      return fromRedisUrl(parsed);
    case "redis+unix:":
    case "unix:":
      return fromSocketUrl(parsed);
    case "postgres:":
    case "postgresql:":
      throw new LicetError("CONFIG_INVALID", "queue.url names a PostgreSQL, which cannot be the queue", { hint: HINT });
    default:
      throw new LicetError("CONFIG_INVALID", `queue.url has the unknown scheme ${parsed.protocol}//`, { hint: HINT });
  }
}

function fromRedisUrl(url: URL): QueueAddress {
  const port = url.port === "" ? REDIS_DEFAULT_PORT : Number(url.port);
  const host = url.hostname === "" ? "127.0.0.1" : url.hostname.replace(/^\[|\]$/g, "");
  const db = parseDatabase(url.pathname.slice(1));
  const redis = { host, port, tls: url.protocol === "rediss:", ...credentialsOf(url), ...db };
  return { kind: "redis", place: `${url.protocol}//${url.host}${url.pathname}`, redis };
}

function fromSocketUrl(url: URL): QueueAddress {
  const path = decode(url.pathname);
  // A URL with a password must have a host too.
  if (!["", "localhost"].includes(url.host) || path === "" || path === "/") {
    throw new LicetError("CONFIG_INVALID", "queue.url names no Unix socket: three slashes, then its path", {
      hint: HINT,
    });
  }
  const redis = { path, tls: false, ...credentialsOf(url), ...parseDatabase(url.searchParams.get("db") ?? "") };
  return { kind: "redis", place: `redis+unix://${path}`, redis };
}

function credentialsOf(url: URL): Pick<RedisAddress, "username" | "password"> {
  return {
    ...(url.username === "" ? {} : { username: decode(url.username) }),
    ...(url.password === "" ? {} : { password: decode(url.password) }),
  };
}

function parseDatabase(text: string): Pick<RedisAddress, "db"> {
  if (text === "") {
    return {};
  }
  if (!/^\d{1,4}$/.test(text)) {
    throw new LicetError("CONFIG_INVALID", "the database in queue.url is not a small number", { hint: HINT });
  }
  return { db: Number(text) };
}

/** An invalid escape in a password is literal text, not an error. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
