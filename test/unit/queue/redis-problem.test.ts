import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { QUEUE_OF_WORKER, QUEUE_URL } from "../../../src/queue/queue-setting.ts";
import {
  CLUSTER_RIGHTS,
  describeConnection,
  describeRole,
  nameServer,
  REDIS_RIGHTS,
  SENTINEL_RIGHTS,
  toRedisError,
} from "../../../src/queue/redis-problem.ts";

const PLACE = "redis://127.0.0.1:6379";
const named = (place: string) => ({ place, setting: QUEUE_URL });
const error = (message: string, code?: string) => Object.assign(new Error(message), code === undefined ? {} : { code });

describe("a Redis that cannot be used", () => {
  it.each([
    ["MOVED 1234 10.0.0.2:6379", "is a node of a Redis Cluster", "as redis-cluster://127.0.0.1:6379,"],
    ["CROSSSLOT Keys in request don't hash to the same slot", "is a node of a Redis Cluster", "redis-cluster://"],
    [
      "Too many Cluster redirections. Last error: ReplyError: CLUSTERDOWN Hash slot not served",
      "has lost a master",
      "failover",
    ],
    ["sentinel", "is a Redis Sentinel", "as redis-sentinel://127.0.0.1:6379/NAME,"],
    ["sentinel queue", "is a Redis Sentinel", "as redis-sentinel://127.0.0.1:6379/queue,"],
    [
      "failed to connect to sentinel h:1 because NOAUTH Authentication required.",
      "does not let this user ask",
      "sentinelPassword",
    ],
    [
      "failed to connect to sentinel h:1 because ERR unknown command 'sentinel'",
      "names a Redis as a Sentinel",
      "redis://host:port",
    ],
    ["READONLY You can't write against a read only replica.", "is a replica", "redis-sentinel://"],
    ["NOREPLICAS Not enough good replicas to write.", "too few replicas", "min-replicas-to-write"],
    ["DENIED Redis is running in protected mode because", "lets only its own machine connect", "password"],
    ["too old: Redis 5.0.14", "is too old", "It is Redis 5.0.14."],
    ["NOPERM this user has no permissions to run the 'info' command", "too few rights", "+evalsha"],
    ["NOAUTH Authentication required.", "wants another user name and password", "queue.url"],
    ["WRONGPASS invalid username-password pair", "refuses the user name or the password", "queue.url"],
    ["LOADING Redis is loading the dataset in memory", "is loading its data", "Wait"],
    ["MISCONF Redis is configured to save RDB snapshots", "cannot save them", "disk"],
    ["OOM command not allowed", "its memory is full", "maxmemory"],
    ["connect ECONNREFUSED 127.0.0.1:6379", "nobody listens there", "Start the server"],
  ])("that says %j is named, with what to do", (said, what, hint) => {
    const translated = toRedisError(named(PLACE), error(said), said);
    expect(translated.message).toContain(`the queue at ${PLACE} `);
    expect(translated.message).toContain(what);
    expect(translated.hint).toContain(hint);
    expect(translated.message).not.toContain(said);
    // A worker has no configuration, and the queue is another process's.
    const { hint: ofWorker = "" } = toRedisError({ place: PLACE, setting: QUEUE_OF_WORKER }, error(said), said);
    expect(ofWorker).not.toMatch(/queue\.url|embedded/);
    expect(ofWorker.includes("--queue")).toBe(translated.hint?.includes("queue.url"));
  });

  it.each([
    [QUEUE_URL, "Start the server or check queue.url, or use `queue: { url: embedded }`, which needs no server."],
    [QUEUE_OF_WORKER, "Start the server or check --queue."],
  ])("that cannot be reached is told in words of who asked", (setting, hint) => {
    expect(toRedisError({ place: PLACE, setting }, error("connect ECONNREFUSED"), "").hint).toBe(hint);
  });
});

it.each([
  ["getaddrinfo ENOTFOUND queue.example", "ENOTFOUND", "the name of the host is not known"],
  ["Command timed out", undefined, "no answer came in time"],
  ["Connection is closed.", undefined, "the connection broke"],
  ["Reached the max retries per request limit (which is 10).", undefined, "the connection broke"],
  [
    "self-signed certificate",
    "DEPTH_ZERO_SELF_SIGNED_CERT",
    "its certificate is not trusted (NODE_EXTRA_CA_CERTS) or is of another host",
  ],
  [
    "write EPROTO 00:error:wrong version number",
    "EPROTO",
    "one side speaks TLS and the other does not (redis:// or rediss://)",
  ],
  ["Too many Cluster redirections. Last error: ReplyError: MOVED 1 h:1", undefined, "a node of the Cluster is away"],
  ["something else", undefined, "something else"],
])("a connection that ends with %j is described", (message, code, described) => {
  expect(describeConnection(error(message, code), message)).toBe(described);
});

it.each([
  ["redis_mode:standalone\r\nrole:master\r\n", null],
  ["redis_mode:cluster\r\nrole:master\r\n", "cluster"],
  ["redis_mode:standalone\r\nrole:master\r\ncluster_enabled:1\r\n", "cluster"],
  ["redis_mode:sentinel\r\n", "sentinel"],
  ["redis_mode:sentinel\r\nmaster0:name=my.master,status=ok,address=10.0.0.1:6379\r\n", "sentinel my.master"],
  ["redis_mode:standalone\r\nrole:slave\r\nslave_read_only:1\r\n", "replica"],
  ["redis_mode:standalone\r\nrole:slave\r\nslave_read_only:0\r\n", null],
  ["", null],
])("INFO %j is the role %j", (info, role) => {
  expect(describeRole(info)).toBe(role);
});

it("names the address of a Cluster and of Sentinels with TLS where the given one has it", () => {
  expect(toRedisError(named("rediss://h:1/0"), error("cluster"), "cluster").hint).toContain("rediss-cluster://h:1,");
  expect(toRedisError(named("redis+unix:///r.sock"), error("cluster"), "cluster").hint).toContain(
    "redis-cluster://host1:port",
  );
});

it("names the one right more that a Cluster needs", () => {
  const hintOf = (place: string) => toRedisError(named(place), error("NOPERM x"), "NOPERM x").hint;
  expect(hintOf("redis-cluster://h:1")).toContain("+cluster|slots");
  expect(hintOf("redis://h:1")).not.toContain("+cluster|slots");
});

it("has the rights that docs/redis.md names, with which the contract suite runs", () => {
  const text = readFileSync("docs/redis.md", "utf8");
  expect(text).toContain(`ACL SETUSER licet on >PASSWORD ${REDIS_RIGHTS}\n`);
  expect(text).toContain(`ACL SETUSER licet on >SECRET ${SENTINEL_RIGHTS}\n`);
  expect(text).toContain(`besides: \`${CLUSTER_RIGHTS}\`.`);
});

/** As Valkey writes it: `redis_version` stays the last that it is like, and the mode has another name. */
const VALKEY = `# Server\r
redis_version:7.2.4\r
server_name:valkey\r
valkey_version:8.1.1\r
valkey_release_stage:ga\r
redis_git_sha1:00000000\r
server_mode:standalone\r
os:Linux 6.1.0 x86_64\r
# Replication\r
role:master\r
`;

it.each([
  [VALKEY, { name: "Valkey 8.1.1", isTooOld: false, isOld: false }],
  ["redis_version:7.0.15\r\n", { name: "Redis 7.0.15", isTooOld: false, isOld: false }],
  ["redis_version:10.0.0\r\n", { name: "Redis 10.0.0", isTooOld: false, isOld: false }],
  ["redis_version:6.2.0\r\n", { name: "Redis 6.2.0", isTooOld: false, isOld: false }],
  ["redis_version:6.0.16\r\n", { name: "Redis 6.0.16", isTooOld: false, isOld: true }],
  ["redis_version:6.0.5\r\n", { name: "Redis 6.0.5", isTooOld: true, isOld: true }],
  ["redis_version:5.0.14\r\n", { name: "Redis 5.0.14", isTooOld: true, isOld: true }],
  ["", { name: "Redis of an unknown version", isTooOld: false, isOld: false }],
])("INFO %j names the server", (info, server) => {
  expect(nameServer(info)).toEqual(server);
});

it("finds the role of Valkey, which says server_mode for redis_mode", () => {
  expect(describeRole(VALKEY)).toBeNull();
  expect(describeRole(VALKEY.replace("standalone", "sentinel"))).toBe("sentinel");
  expect(describeRole(VALKEY.replace("standalone", "cluster"))).toBe("cluster");
});
