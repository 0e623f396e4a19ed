/** What is wrong with a Redis that cannot be used, in words of licet, and what to do. */
import { LicetError } from "../errors.ts";

/** What licet's commands need of a user of Redis. test/contract/queue-redis-problems.test.ts works with these rights alone. */
export const REDIS_RIGHTS = "~licet:* +@read +@write +@scripting +@connection +@blocking +info";

interface Problem {
  readonly finds: RegExp;
  readonly what: string;
  readonly hint: string;
}

const CREDENTIALS = "Check the user name and the password in queue.url.";
const SINGLE =
  "licet needs one server that it may write: name it in queue.url, or use `queue: { url: embedded }`, which needs no server.";

/** What a server answers, by how the answer begins, or what `describeRole` says of it. */
const ANSWERS: readonly Problem[] = [
  {
    finds: /^OOM /,
    what: "accepts no more jobs: its memory is full",
    hint: "Raise Redis' maxmemory, or remove other data from it. licet's own jobs need some hundred kilobytes.",
  },
  { finds: /NOAUTH|without any password configured/i, what: "wants another user name and password", hint: CREDENTIALS },
  { finds: /WRONGPASS|invalid password/i, what: "refuses the user name or the password", hint: CREDENTIALS },
  {
    // Within a script, Redis says it in other words.
    finds: /NOPERM|ACL failure in script|can't run this command/,
    what: "gives its user too few rights",
    hint: `Give the user of queue.url these rights: ACL SETUSER name ${REDIS_RIGHTS}`,
  },
  { finds: /^(?:MOVED|ASK|CROSSSLOT|CLUSTERDOWN|cluster)\b/, what: "is a node of a Redis Cluster", hint: SINGLE },
  { finds: /^sentinel$/, what: "is a Redis Sentinel, which keeps no data", hint: SINGLE },
  { finds: /READONLY|^replica$/, what: "is a replica, which cannot be written", hint: SINGLE },
  { finds: /^LOADING/, what: "is loading its data", hint: "Wait until it has started." },
  {
    finds: /^MISCONF/,
    what: "takes no writes, because it cannot save them to its disk",
    hint: "Look at the log of Redis: its disk may be full.",
  },
];

/** Why there is no connection, by the code or the message of the error. */
const CONNECTION: readonly (readonly [finds: RegExp, why: string])[] = [
  [/ECONNREFUSED/, "nobody listens there"],
  [/ENOTFOUND|EAI_AGAIN/, "the name of the host is not known"],
  [/ENOENT/, "there is no such socket"],
  [/EACCES|EPERM/, "this user may not use the socket"],
  [/EHOSTUNREACH|ENETUNREACH/, "there is no way to the host"],
  [/CERT|certificate|self-signed|UNABLE_TO_VERIFY/i, "its certificate is not trusted or is of another host"],
  [/EPROTO|wrong version number|SSL routines/i, "one side speaks TLS and the other does not (redis:// or rediss://)"],
  [/ETIMEDOUT|timed out|no answer/i, "no answer came in time"],
  [
    /ECONNRESET|EPIPE|connection is closed|max retries|isn't writeable|socket closed|connection ended/i,
    "the connection broke",
  ],
];

/** An answer of Redis with an error, or a connection that broke or never was, as an error of licet. */
export function toRedisError(place: string, cause: unknown, reason: string): LicetError {
  const answer = ANSWERS.find(({ finds }) => finds.test(reason));
  if (answer !== undefined) {
    return new LicetError("QUEUE_UNREACHABLE", `the queue at ${place} ${answer.what}`, { hint: answer.hint, cause });
  }
  return new LicetError(
    "QUEUE_UNREACHABLE",
    `the queue at ${place} cannot be reached: ${describeConnection(cause, reason)}`,
    {
      hint: "Start the server, check queue.url, or use `queue: { url: embedded }`, which needs no server.",
      cause,
    },
  );
}

/** Why a connection broke or never was. What nobody has given a name is told as it is. */
export function describeConnection(cause: unknown, reason: string): string {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  return CONNECTION.find(([finds]) => finds.test(`${code} ${reason}`))?.[1] ?? reason;
}

/** What a server says of itself in `INFO` that keeps licet from using it. Null: it is one server, and can be written. */
export function describeRole(info: string): "cluster" | "sentinel" | "replica" | null {
  const field = (name: string) => new RegExp(`^${name}:(\\S+)`, "m").exec(info)?.[1];
  if (field("redis_mode") === "sentinel") {
    return "sentinel";
  }
  if (field("redis_mode") === "cluster" || field("cluster_enabled") === "1") {
    return "cluster";
  }
  return field("role") === "slave" && field("slave_read_only") !== "0" ? "replica" : null;
}
