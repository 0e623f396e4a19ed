import { describe, expect, it } from "vitest";
import { warnOfPlainHttp } from "../../../../src/config/checks/plain-http.ts";
import { parseConfig } from "../../../../src/config/load-config.ts";

describe("an address of the gateway", () => {
  it.each([
    "http://gateway.example",
    "http://gateway.example:8402/base",
    "http://192.168.1.7",
    "http://10.0.0.1:80",
    "http://0.0.0.0:8402",
    "http://127.0.0.1.example",
    "http://localhost.example",
    "http://[2001:db8::1]",
    "http://[::]:8402",
    "HTTP://Gateway.Example",
  ])("%s sends the key unencrypted to another machine, which is reported", (baseUrl) => {
    expect(warnOfPlainHttp(baseUrl)).toMatch(/the API key.* unencrypted; use https:/);
  });

  it.each([
    "https://gateway.example",
    "http://127.0.0.1:8402",
    "http://127.0.0.1",
    "http://127.9.8.7:1",
    "http://127.1",
    "http://localhost:8402",
    "http://LOCALHOST",
    "http://sandbox.localhost",
    "http://[::1]:8402",
    "https://192.168.1.7",
  ])("%s does not", (baseUrl) => {
    expect(warnOfPlainHttp(baseUrl)).toBeNull();
  });

  it("is a warning of the configuration, and not an error", () => {
    const config = parseConfig(
      {
        gateway: { baseUrl: "http://gateway.example", apiKey: "key-1234", agentId: "acme-agent" },
        policies: { standard: { rules: [{ allow: {} }] } },
        sites: [{ host: "news.example", policy: "standard" }],
      },
      { cwd: "/", env: {} },
    );
    expect(config.warnings).toEqual([expect.stringContaining("gateway.example unencrypted")]);
  });
});
