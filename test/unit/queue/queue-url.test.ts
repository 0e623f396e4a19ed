import { describe, expect, it } from "vitest";
import { QUEUE_OF_WORKER } from "../../../src/queue/queue-setting.ts";
import { findQueueSecrets, findQueueUrlProblem, parseQueueUrl } from "../../../src/queue/queue-url.ts";

describe("a queue URL", () => {
  it.each([
    { url: "redis://127.0.0.1:6380/2", redis: { host: "127.0.0.1", port: 6380, db: 2, tls: false } },
    { url: "redis://cache.example", redis: { host: "cache.example", port: 6379, tls: false } },
    { url: "redis://[::1]:7000", redis: { host: "::1", port: 7000, tls: false } },
    { url: "rediss://cache.example:6379/", redis: { host: "cache.example", port: 6379, tls: true } },
    {
      url: "redis://ann:p%40ss@cache.example",
      redis: { host: "cache.example", port: 6379, username: "ann", password: "p@ss", tls: false },
    },
    { url: "redis://:50%@cache.example", redis: { host: "cache.example", port: 6379, password: "50%", tls: false } },
    { url: "unix:///run/redis.sock", redis: { path: "/run/redis.sock", tls: false } },
    { url: "redis+unix:///run/my%20redis.sock?db=3", redis: { path: "/run/my redis.sock", db: 3, tls: false } },
    { url: "redis+unix://:pw@localhost/r.sock", redis: { path: "/r.sock", password: "pw", tls: false } },
    {
      url: "redis-sentinel://one.example:26380,[::1],three/mymaster",
      redis: {
        mode: "sentinel",
        sentinels: [
          { host: "one.example", port: 26380 },
          { host: "::1", port: 26379 },
          { host: "three", port: 26379 },
        ],
        master: "mymaster",
        tls: false,
      },
    },
    {
      url: "rediss-sentinel://ann:p%40ss@one:1/my-master.2/3?sentinelUsername=watch&sentinelPassword=a%26b",
      redis: {
        mode: "sentinel",
        sentinels: [{ host: "one", port: 1 }],
        master: "my-master.2",
        username: "ann",
        password: "p@ss",
        db: 3,
        sentinelUsername: "watch",
        sentinelPassword: "a&b",
        tls: true,
      },
    },
    {
      url: "redis-cluster://:p@one:7000,two",
      redis: {
        mode: "cluster",
        nodes: [
          { host: "one", port: 7000 },
          { host: "two", port: 6379 },
        ],
        password: "p",
        tls: false,
      },
    },
    {
      url: "rediss-cluster://one/0",
      redis: { mode: "cluster", nodes: [{ host: "one", port: 6379 }], tls: true },
    },
  ])("$url names a Redis", ({ url, redis }) => {
    expect(parseQueueUrl(url)).toMatchObject({ kind: "redis", redis });
  });

  it("may be the word embedded", () => {
    expect(parseQueueUrl("embedded").kind).toBe("embedded");
  });

  it.each([
    ["redis://ann:s3cret@cache.example/1", "redis://cache.example/1"],
    ["rediss://:s3cret@h", "rediss://h"],
    ["unix://:s3cret@localhost/s", "redis+unix:///s"],
    ["rediss-sentinel://ann:s3cret@h:1,i/m/2?sentinelPassword=s3cret", "rediss-sentinel://h:1,i/m"],
    ["redis-cluster://ann:s3cret@h:1,i", "redis-cluster://h:1,i"],
  ])("%s is shown without its secret", (url, place) => {
    expect(parseQueueUrl(url).place).toBe(place);
    expect(findQueueUrlProblem(url)).toBeNull();
  });

  it.each([
    ["embedded", []],
    ["redis://ann@h", []],
    ["redis://:50%@h", ["50%"]],
    ["redis://ann:p%40ss@h/1", ["p%40ss", "p@ss"]],
    ["redis-cluster://ann:s3cret@h:1,i", ["s3cret"]],
    ["redis-sentinel://ann:s3cret@h,i/m?sentinelUsername=u&sentinelPassword=a%26b", ["s3cret", "a%26b", "a&b"]],
  ])("%s has the secrets %j", (url, secrets) => {
    expect(findQueueSecrets(url)).toEqual(secrets);
  });

  it.each([
    "",
    "redis",
    "Embedded",
    "http://u:s3cret@cache.example/",
    "redis://u:s3cret@cache.example/first",
    "redis://u:s3cret@cache.example/99999",
    "redis://u:s3cret@cache.example:port/",
    "unix://",
    "unix:///",
    "redis+unix://u:s3cret@elsewhere/redis.sock",
    "postgres://u:s3cret@h/d",
    "postgresql://u:s3cret@h/d",
    "redis-sentinel://u:s3cret@h:1",
    "redis-sentinel://u:s3cret@h:1/",
    "redis-sentinel://u:s3cret@h:1/my master",
    "redis-sentinel://u:s3cret@h:1/m/first",
    "redis-sentinel://u:s3cret@h:1/m/0/more",
    "redis-sentinel://u:s3cret@h:1/m?sentinelPasswort=s3cret",
    "redis-sentinel://u:s3cret@h:port/m",
    "redis-sentinel://u:s3cret@h:1,,i/m",
    "redis-sentinel://u:s3/cret@h:1/m",
    "redis-sentinel:///m",
    "redis+sentinel://u:s3cret@h:1/m",
    "redis-cluster://u:s3cret@h:1/2",
    "redis-cluster://u:s3cret@h:1?db=2",
    "redis-cluster://u:s3cret@h:1#h",
    "redis-cluster://",
  ])("%j is refused with a hint and without a secret", (url) => {
    const refusal = (() => {
      try {
        return parseQueueUrl(url);
      } catch (error) {
        return error;
      }
    })();
    expect(refusal).toMatchObject({ code: "CONFIG_INVALID", hint: expect.stringContaining("embedded") });
    expect(`${refusal}${JSON.stringify(refusal)}`).not.toMatch(/s3cret|cret@/);
    expect(findQueueUrlProblem(url)).toMatch(/^(?:is|names|has) .*Write queue\.url as embedded/);
  });

  it("is told to a worker in words of its argument", () => {
    expect(() => parseQueueUrl("amqp://h", QUEUE_OF_WORKER)).toThrow(
      expect.objectContaining({
        code: "USAGE_INVALID",
        message: "--queue has the unknown scheme amqp://",
        hint: expect.stringMatching(/^Write --queue as redis:/),
      }),
    );
  });
});
