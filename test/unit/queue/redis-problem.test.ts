import { describe, expect, it } from "vitest";
import { describeConnection, describeRole, toRedisError } from "../../../src/queue/redis-problem.ts";

const PLACE = "redis://127.0.0.1:6379";
const error = (message: string, code?: string) => Object.assign(new Error(message), code === undefined ? {} : { code });

describe("a Redis that cannot be used", () => {
  it.each([
    ["MOVED 1234 10.0.0.2:6379", "is a node of a Redis Cluster", "one server"],
    ["CROSSSLOT Keys in request don't hash to the same slot", "is a node of a Redis Cluster", "one server"],
    ["CLUSTERDOWN Hash slot not served", "is a node of a Redis Cluster", "one server"],
    ["sentinel", "is a Redis Sentinel", "one server"],
    ["READONLY You can't write against a read only replica.", "is a replica", "one server"],
    ["NOPERM this user has no permissions to run the 'info' command", "too few rights", "+@scripting"],
    ["NOAUTH Authentication required.", "wants another user name and password", "queue.url"],
    ["WRONGPASS invalid username-password pair", "refuses the user name or the password", "queue.url"],
    ["LOADING Redis is loading the dataset in memory", "is loading its data", "Wait"],
    ["MISCONF Redis is configured to save RDB snapshots", "cannot save them", "disk"],
    ["OOM command not allowed", "its memory is full", "maxmemory"],
    ["connect ECONNREFUSED 127.0.0.1:6379", "nobody listens there", "Start the server"],
  ])("that says %j is named, with what to do", (said, what, hint) => {
    const translated = toRedisError(PLACE, error(said), said);
    expect(translated.message).toContain(`the queue at ${PLACE} `);
    expect(translated.message).toContain(what);
    expect(translated.hint).toContain(hint);
    expect(translated.message).not.toContain(said);
  });
});

it.each([
  ["getaddrinfo ENOTFOUND queue.example", "ENOTFOUND", "the name of the host is not known"],
  ["Command timed out", undefined, "no answer came in time"],
  ["Connection is closed.", undefined, "the connection broke"],
  ["Reached the max retries per request limit (which is 10).", undefined, "the connection broke"],
  ["self-signed certificate", "DEPTH_ZERO_SELF_SIGNED_CERT", "its certificate is not trusted or is of another host"],
  [
    "write EPROTO 00:error:wrong version number",
    "EPROTO",
    "one side speaks TLS and the other does not (redis:// or rediss://)",
  ],
  ["something else", undefined, "something else"],
])("a connection that ends with %j is described", (message, code, described) => {
  expect(describeConnection(error(message, code), message)).toBe(described);
});

it.each([
  ["redis_mode:standalone\r\nrole:master\r\n", null],
  ["redis_mode:cluster\r\nrole:master\r\n", "cluster"],
  ["redis_mode:standalone\r\nrole:master\r\ncluster_enabled:1\r\n", "cluster"],
  ["redis_mode:sentinel\r\n", "sentinel"],
  ["redis_mode:standalone\r\nrole:slave\r\nslave_read_only:1\r\n", "replica"],
  ["redis_mode:standalone\r\nrole:slave\r\nslave_read_only:0\r\n", null],
  ["", null],
])("INFO %j is the role %j", (info, role) => {
  expect(describeRole(info)).toBe(role);
});
