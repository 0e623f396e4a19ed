import { LicetError } from "../errors.ts";
import { QUEUE_URL, type QueueSetting } from "./queue-setting.ts";
import type { ClusterAddress, RedisAddress, RedisHost, SentinelAddress, ServerAddress } from "./redis-address.ts";

/** The parts of the URL of a queue. It contains secrets; only `place` may appear in messages. */
export type QueueAddress =
  | { readonly kind: "embedded"; readonly place: string }
  | { readonly kind: "redis"; readonly place: string; readonly redis: RedisAddress };

const REDIS_DEFAULT_PORT = 6379;
const SENTINEL_DEFAULT_PORT = 26379;
const FORMS =
  "redis://host:6379/0, redis+unix:///path/to/redis.sock, redis-sentinel://host1:26379,host2:26379/mymaster, or redis-cluster://host1:6379,host2:6379; with TLS as rediss://, rediss-sentinel:// or rediss-cluster://.";

/** A URL of several hosts, which `URL` cannot read. */
const SEVERAL_HOSTS = /^(rediss?-(?:sentinel|cluster)):\/\/([^/?#]*@)?([^/?#]*)(.*)$/s;
/** What a Sentinel accepts as the name of a master. */
const MASTER_NAME = /^[\w.-]+$/;
const SENTINEL_LOGIN = ["sentinelUsername", "sentinelPassword"] as const;

/** What is wrong with a URL, as the end of a sentence that begins with its name. It never contains the URL, which may contain a password. */
class Refusal extends Error {}

/**
 * Parses `queue.url`, or what another setting has.
 * @throws LicetError CONFIG_INVALID, or as the setting says
 */
export function parseQueueUrl(url: string, setting: QueueSetting = QUEUE_URL): QueueAddress {
  try {
    return read(url);
  } catch (error) {
    if (!(error instanceof Refusal)) {
      throw error;
    }
    throw new LicetError(setting.invalid, `${setting.name} ${error.message}`, { hint: toHint(setting) });
  }
}

/** What is wrong with `queue.url`, as the end of a sentence that begins with its name. Null: nothing. */
export function findQueueUrlProblem(url: string): string | null {
  try {
    read(url);
    return null;
  } catch (error) {
    if (!(error instanceof Refusal)) {
      throw error;
    }
    return `${error.message}. ${toHint(QUEUE_URL)}`;
  }
}

const toHint = ({ name, mayEmbed }: QueueSetting): string => `Write ${name} as ${mayEmbed ? "embedded, " : ""}${FORMS}`;

function read(url: string): QueueAddress {
  if (url === "embedded") {
    return { kind: "embedded", place: "the embedded queue" };
  }
  const several = SEVERAL_HOSTS.exec(url);
  if (several !== null) {
    const read = readSeveralHosts(several);
    return read.kind === "sentinel" ? fromSentinelUrl(read) : fromClusterUrl(read);
  }
  const parsed = URL.parse(url);
  if (parsed === null) {
    throw new Refusal("is not a URL");
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
      throw new Refusal("names a PostgreSQL, which cannot be the queue");
    default:
      throw new Refusal(`has the unknown scheme ${parsed.protocol}//`);
  }
}

/** The passwords in `queue.url`, as they stand there and as they are meant. */
export function findQueueSecrets(url: string): readonly string[] {
  const passwords = [/^[^:]+:\/\/[^/?#:]*:([^/?#]*)@/, /[?&]sentinelPassword=([^&#]*)/].flatMap((finds) => {
    const password = finds.exec(url)?.[1] ?? "";
    return password === "" ? [] : [password, decode(password)];
  });
  return [...new Set(passwords)];
}

function fromRedisUrl(url: URL): QueueAddress {
  const redis: ServerAddress = {
    mode: "server",
    ...hostOf(url, REDIS_DEFAULT_PORT),
    tls: url.protocol === "rediss:",
    ...credentialsOf(url),
    ...parseDatabase(url.pathname.slice(1)),
  };
  return { kind: "redis", place: `${url.protocol}//${url.host}${url.pathname}`, redis };
}

function fromSocketUrl(url: URL): QueueAddress {
  const path = decode(url.pathname);
  // A URL with a password must have a host too.
  if (!["", "localhost"].includes(url.host) || path === "" || path === "/") {
    throw new Refusal("names no Unix socket: three slashes, then its path");
  }
  const database = parseDatabase(url.searchParams.get("db") ?? "");
  const redis: ServerAddress = { mode: "server", path, tls: false, ...credentialsOf(url), ...database };
  return { kind: "redis", place: `redis+unix://${path}`, redis };
}

function fromSentinelUrl(url: SeveralHosts): QueueAddress {
  const { first } = url;
  const unknown = [...first.searchParams.keys()].find((name) => !SENTINEL_LOGIN.some((known) => known === name));
  if (unknown !== undefined) {
    throw new Refusal(`has a parameter that is not known: Sentinels take ${SENTINEL_LOGIN.join(" and ")}`);
  }
  const [master = "", database = "", ...more] = first.pathname.slice(1).split("/");
  if (!MASTER_NAME.test(master) || more.length > 0) {
    throw new Refusal("names no master: after the Sentinels come its name and, if it is not 0, the database");
  }
  const login = SENTINEL_LOGIN.map((name) => [name, first.searchParams.get(name)] as const);
  const redis: SentinelAddress = {
    mode: "sentinel",
    sentinels: hostsOf(url, SENTINEL_DEFAULT_PORT),
    master,
    tls: url.tls,
    ...credentialsOf(first),
    ...Object.fromEntries(login.filter(([, value]) => value !== null)),
    ...parseDatabase(database),
  };
  return { kind: "redis", place: `${url.place}/${master}`, redis };
}

function fromClusterUrl(url: SeveralHosts): QueueAddress {
  const { first } = url;
  if (!["", "/", "/0"].includes(first.pathname) || first.search !== "") {
    throw new Refusal("names more than the nodes of a Cluster: its only database is 0");
  }
  const nodes = hostsOf(url, REDIS_DEFAULT_PORT);
  const redis: ClusterAddress = { mode: "cluster", nodes, tls: url.tls, ...credentialsOf(first) };
  return { kind: "redis", place: url.place, redis };
}

interface SeveralHosts {
  readonly kind: "sentinel" | "cluster";
  readonly tls: boolean;
  /** Without credentials. */
  readonly place: string;
  /** With the first host and all the rest. */
  readonly first: URL;
  readonly hosts: readonly URL[];
}

/** `URL` reads one host only, so each is read by itself. */
function readSeveralHosts([, scheme = "", login = "", hosts = "", rest = ""]: RegExpExecArray): SeveralHosts {
  const urls = hosts.split(",").map((host) => URL.parse(`redis://${login}${host}${rest}`));
  const found = urls.filter((url) => url !== null && url.hostname !== "" && url.hash === "") as URL[];
  const [first] = found;
  if (first === undefined || found.length < urls.length) {
    throw new Refusal("names a host that cannot be read: write host:port, and a comma between two");
  }
  return {
    kind: scheme.endsWith("sentinel") ? "sentinel" : "cluster",
    tls: scheme.startsWith("rediss"),
    place: `${scheme}://${found.map(({ host }) => host).join(",")}`,
    first,
    hosts: found,
  };
}

function hostsOf({ hosts }: SeveralHosts, defaultPort: number): readonly RedisHost[] {
  return hosts.map((url) => hostOf(url, defaultPort));
}

function hostOf({ hostname, port }: URL, defaultPort: number): RedisHost {
  return {
    host: hostname === "" ? "127.0.0.1" : hostname.replace(/^\[|\]$/g, ""),
    port: port === "" ? defaultPort : Number(port),
  };
}

function credentialsOf(url: URL): Pick<ServerAddress, "username" | "password"> {
  return {
    ...(url.username === "" ? {} : { username: decode(url.username) }),
    ...(url.password === "" ? {} : { password: decode(url.password) }),
  };
}

function parseDatabase(text: string): Pick<ServerAddress, "db"> {
  if (text === "") {
    return {};
  }
  if (!/^\d{1,4}$/.test(text)) {
    throw new Refusal("names a database that is not a small number");
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
