import { describe, expect, it } from "vitest";
import { parseQueueUrl } from "../../../src/queue/queue-url.ts";

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
  ])("$url names a Redis", ({ url, redis }) => {
    expect(parseQueueUrl(url)).toMatchObject({ kind: "redis", redis });
  });

  it("may be the word embedded", () => {
    expect(parseQueueUrl("embedded").kind).toBe("embedded");
  });

  it.each(["redis://ann:s3cret@cache.example/1", "rediss://:s3cret@h", "unix://:s3cret@localhost/s"])(
    "%s is shown without its secret",
    (url) => {
      expect(parseQueueUrl(url).place).not.toMatch(/s3cret|ann/);
    },
  );

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
  ])("%j is refused with a hint and without a secret", (url) => {
    const refusal = (() => {
      try {
        return parseQueueUrl(url);
      } catch (error) {
        return error;
      }
    })();
    expect(refusal).toMatchObject({ code: "CONFIG_INVALID", hint: expect.stringContaining("embedded") });
    expect(`${refusal}${JSON.stringify(refusal)}`).not.toContain("s3cret");
  });
});
