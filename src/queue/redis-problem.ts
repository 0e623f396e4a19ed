/** What is wrong with a Redis that cannot be used, in words of licet, and what to do. */
import { findConnectionReason } from "../connection-reason.ts";
import { LicetError } from "../errors.ts";
import type { QueueSetting } from "./queue-setting.ts";

/**
 * What a service and a worker need of a user of Redis: on their own keys they read and write, and beyond them they do not see. The
 * contract suite works with these rights alone, on one server, in a Cluster, and with Sentinels.
 */
export const REDIS_RIGHTS =
  "resetchannels ~licet:* -@all +@read +@write +@blocking -@dangerous -scan -randomkey -dbsize +eval +evalsha +info +hello +ping +quit +select +client|setname";
/** What it needs in a Cluster besides. */
export const CLUSTER_RIGHTS = "+cluster|slots";
/** What a user of the Sentinels needs, who has no keys. */
export const SENTINEL_RIGHTS =
  "resetchannels -@all +hello +ping +client|setname +sentinel|get-master-addr-by-name +sentinel|sentinels";

/** The first that does all that BullMQ asks for, and that knows users. Debian 11 has a newer one. */
const OLDEST_VERSION = [6, 0, 6];
/** From here on BullMQ has no advice. */
const ADVISED_VERSION = [6, 2, 0];

/** A queue as it is told of. */
export interface NamedQueue {
  /** Without credentials. */
  readonly place: string;
  readonly setting: QueueSetting;
}

interface Told {
  readonly place: string;
  /** Of the setting that names the queue. */
  readonly setting: string;
  /** What may be done instead: an end of a sentence, which is empty where nothing may. */
  readonly orEmbedded: string;
  /** What the server said. */
  readonly reason: string;
}

interface Problem {
  readonly finds: RegExp;
  readonly what: string;
  readonly hint: string | ((told: Told) => string);
}

const credentials = ({ setting }: Told): string => `Check the user name and the password in ${setting}.`;

/** What a server answers, by how the answer begins, or what `describeRole` says of it. */
const ANSWERS: readonly Problem[] = [
  {
    finds: /^OOM /,
    what: "accepts no more jobs: its memory is full",
    hint: "Raise Redis' maxmemory, or remove other data from it. licet's own jobs need some hundred kilobytes.",
  },
  {
    finds: /sentinel.*(?:NOAUTH|WRONGPASS|NOPERM|invalid password)/,
    what: "has a Sentinel that does not let this user ask",
    hint: ({ setting }) =>
      `Add ?sentinelPassword=… to ${setting} (and sentinelUsername), of a user with these rights: ${SENTINEL_RIGHTS}`,
  },
  {
    finds: /sentinel.*(?:invalid reply: null|No such master)/,
    what: "has Sentinels that know no master of this name",
    hint: "Write the name as in `sentinel monitor NAME …`: SENTINEL MASTERS lists them.",
  },
  {
    finds: /sentinel.*unknown command/i,
    what: "names a Redis as a Sentinel",
    hint: ({ setting }) =>
      `Write ${setting} as redis://host:port for one server, or name the hosts of the Sentinels, whose port is 26379 as a rule.`,
  },
  {
    finds: /cluster support disabled/,
    what: "is not a Redis Cluster",
    hint: ({ setting }) => `Write ${setting} as redis://host:port for one server.`,
  },
  { finds: /NOAUTH|without any password configured/i, what: "wants another user name and password", hint: credentials },
  { finds: /WRONGPASS|invalid password/i, what: "refuses the user name or the password", hint: credentials },
  {
    // Within a script, Redis says it in other words.
    finds: /NOPERM|ACL failure in script|can't run this command/,
    what: "gives its user too few rights",
    hint: ({ place, setting }) =>
      `Give the user of ${setting} these rights: ACL SETUSER name ${[REDIS_RIGHTS, ...(/^rediss?-cluster:/.test(place) ? [CLUSTER_RIGHTS] : [])].join(" ")}`,
  },
  {
    finds: /CLUSTERDOWN/,
    what: "is a Redis Cluster that has lost a master, or serves not all slots",
    hint: "Wait for the failover, or look at CLUSTER INFO and CLUSTER NODES.",
  },
  {
    finds: /^(?:MOVED|ASK|CROSSSLOT|cluster)\b/,
    what: "is a node of a Redis Cluster",
    hint: ({ place, setting }) =>
      `Write ${setting} as ${asGroup(place, "cluster")}, with the user and the password as they are.`,
  },
  {
    finds: /^sentinel( \S+)?$/,
    what: "is a Redis Sentinel, which keeps no data",
    hint: ({ place, setting, reason }) =>
      `Write ${setting} as ${asGroup(place, "sentinel")}/${reason.split(" ")[1] ?? "NAME"}, with the user and the password of the Redis.`,
  },
  {
    finds: /READONLY|^replica$/,
    what: "is a replica, which cannot be written",
    hint: ({ setting }) =>
      `Name its master in ${setting}, or its Sentinels: redis-sentinel://host1:26379,host2:26379/NAME.`,
  },
  {
    finds: /^too old/,
    what: "is too old",
    hint: ({ reason, orEmbedded }) =>
      `It is ${reason.slice("too old: ".length)}. licet needs Redis ${OLDEST_VERSION.join(".")} or later, or Valkey: update it${orEmbedded}.`,
  },
  {
    finds: /^DENIED .*protected mode/,
    what: "lets only its own machine connect (protected mode)",
    hint: ({ setting }) => `Set a password for its users, and write it in ${setting}.`,
  },
  { finds: /^LOADING/, what: "is loading its data", hint: "Wait until it has started." },
  {
    finds: /^MISCONF/,
    what: "takes no writes, because it cannot save them to its disk",
    hint: "Look at the log of Redis: its disk may be full.",
  },
  {
    finds: /^NOREPLICAS/,
    what: "takes no writes, because it has too few replicas",
    hint: "Start its replicas, or look at its min-replicas-to-write.",
  },
];

/** The address of one server, written as that of a Cluster or of Sentinels. */
function asGroup(place: string, kind: "cluster" | "sentinel"): string {
  const url = /^(rediss?):\/\/([^/]+)/.exec(place);
  return url === null ? `redis-${kind}://host1:port,host2:port` : `${url[1]}-${kind}://${url[2]}`;
}

/** What is said of a connection to Redis alone, and comes before what is said of all. */
const CONNECTION: readonly (readonly [finds: RegExp, why: string])[] = [
  [/sentinels? .*(?:unreachable|because)/, "no Sentinel names a master that answers"],
  [/refresh slots cache|none of startup nodes/i, "no node of the Cluster answers"],
  [/too many cluster redirections/i, "a node of the Cluster is away"],
  [/ENOENT/, "there is no such socket"],
  [/EACCES|EPERM/, "this user may not use the socket"],
];
const BROKEN = /ECONNRESET|EPIPE|connection is closed|max retries|isn't writeable|socket closed|connection ended/i;

/** An answer of Redis with an error, or a connection that broke or never was, as an error of licet. */
export function toRedisError({ place, setting }: NamedQueue, cause: unknown, reason: string): LicetError {
  const { name, mayEmbed } = setting;
  const orEmbedded = mayEmbed ? ", or use `queue: { url: embedded }`, which needs no server" : "";
  const answer = ANSWERS.find(({ finds }) => finds.test(reason));
  if (answer !== undefined) {
    const told = { place, setting: name, orEmbedded, reason };
    const hint = typeof answer.hint === "string" ? answer.hint : answer.hint(told);
    return new LicetError("QUEUE_UNREACHABLE", `the queue at ${place} ${answer.what}`, { hint, cause });
  }
  return new LicetError(
    "QUEUE_UNREACHABLE",
    `the queue at ${place} cannot be reached: ${describeConnection(cause, reason)}`,
    { hint: `Start the server or check ${name}${orEmbedded}.`, cause },
  );
}

/** Why a connection broke or never was. What nobody has given a name is told as it is. */
export function describeConnection(cause: unknown, reason: string): string {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  const said = `${code} ${reason}`;
  return (
    CONNECTION.find(([finds]) => finds.test(said))?.[1] ??
    findConnectionReason(said, { plain: "redis://", tls: "rediss://" }) ??
    (BROKEN.test(said) ? "the connection broke" : reason)
  );
}

/** What a server says of itself in `INFO` that keeps licet from using it as one server. Null: it is one, and can be written. */
export function describeRole(info: string): "cluster" | "replica" | "sentinel" | `sentinel ${string}` | null {
  // Valkey may call it otherwise.
  const mode = fieldOf(info, "redis_mode") ?? fieldOf(info, "server_mode");
  if (mode === "sentinel") {
    const master = /^master0:name=([\w.-]+),/m.exec(info)?.[1];
    return master === undefined ? "sentinel" : `sentinel ${master}`;
  }
  if (mode === "cluster" || fieldOf(info, "cluster_enabled") === "1") {
    return "cluster";
  }
  return fieldOf(info, "role") === "slave" && fieldOf(info, "slave_read_only") !== "0" ? "replica" : null;
}

/** What a server says that it is. */
export interface RedisServer {
  /** `Redis 7.0.15`, `Valkey 8.1.1` */
  readonly name: string;
  readonly isTooOld: boolean;
  /** It works, and BullMQ advises a later version. */
  readonly isOld: boolean;
}

/** Valkey tells its own version, and in `redis_version` the last Redis that it is like. */
export function nameServer(info: string): RedisServer {
  const valkey = fieldOf(info, "valkey_version");
  const version = fieldOf(info, "redis_version");
  return {
    name: valkey === undefined ? `Redis ${version ?? "of an unknown version"}` : `Valkey ${valkey}`,
    isTooOld: version !== undefined && isBefore(version, OLDEST_VERSION),
    isOld: version !== undefined && isBefore(version, ADVISED_VERSION),
  };
}

function isBefore(version: string, other: readonly number[]): boolean {
  const numbers = version.split(".").map((part) => Number.parseInt(part, 10));
  const differing = other.findIndex((number, index) => (numbers[index] ?? 0) !== number);
  return differing >= 0 && (numbers[differing] ?? 0) < (other[differing] ?? 0);
}

function fieldOf(info: string, name: string): string | undefined {
  return new RegExp(`^${name}:(\\S+)`, "m").exec(info)?.[1];
}
