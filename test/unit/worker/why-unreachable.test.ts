import { expect, test } from "vitest";
import { whyUnreachable } from "../../../src/worker/why-unreachable.ts";

const failed = (code: string) => new TypeError("fetch failed to http://user:secret@host", { cause: { code } });

test.each([
  ["ECONNREFUSED", "nobody listens there (ECONNREFUSED)"],
  ["ENOTFOUND", "the name of the host is not known (ENOTFOUND)"],
  ["ENETUNREACH", "there is no way to the host (ENETUNREACH)"],
  ["DEPTH_ZERO_SELF_SIGNED_CERT", "its certificate is not trusted (NODE_EXTRA_CA_CERTS) or is of another host"],
  ["ERR_TLS_CERT_ALTNAME_INVALID", "its certificate is not trusted (NODE_EXTRA_CA_CERTS) or is of another host"],
  ["ERR_SSL_WRONG_VERSION_NUMBER", "one side speaks TLS and the other does not (http:// or https://)"],
  ["UND_ERR_CONNECT_TIMEOUT", "no answer came in time"],
  ["UND_ERR_SOCKET", "the connection was lost (UND_ERR_SOCKET)"],
])("%s is told as: %s", (code, why) => {
  expect(whyUnreachable(failed(code))).toContain(why);
});

test("what has no code tells nothing of its message", () => {
  expect(whyUnreachable(new TypeError("the header x: secret"))).toBe("the connection was lost");
  expect(whyUnreachable(new DOMException("slow", "TimeoutError"))).toBe("no answer came in time");
});
