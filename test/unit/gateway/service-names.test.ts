import { expect, test } from "vitest";
import { createProfile, type HeaderName, type PathName } from "../../../src/gateway/service-names.ts";

const HEADERS = { token: "ServiceToken", key: "ServiceKey", acceptContent: "Service-Accept-Content" };

test("says Service where the specification does", () => {
  const profile = createProfile();
  expect(profile.headers).toEqual({ ...HEADERS, reportAgent: "UserAgent" });
  expect(profile.paths.catalog).toEqual({ before: "/dev/v2/content/", after: "/catalog/list" });
  expect(profile.paths.selfReport.before).toBe("/service/dev/v2/transactions/selfReport");
  expect([profile.tokenPrefix, profile.licenseIdField]).toEqual(["", "licenseCuid"]);
});

test("puts another service's name into headers, and in lower case into the path", () => {
  const profile = createProfile({ service: "Tollbit", licenseIdField: "licenseId" });
  expect(profile.headers).toMatchObject({
    token: "TollbitToken",
    key: "TollbitKey",
    acceptContent: "Tollbit-Accept-Content",
  });
  expect(profile.paths.selfReport.before).toBe("/tollbit/dev/v2/transactions/selfReport");
  expect(profile.licenseIdField).toBe("licenseId");
});

/** How else gateways have been seen to spell them; each is a valid override. */
const HEADER_VARIANTS = {
  token: ["{Name}-Token", "Authorization: Bearer"],
} as const satisfies Partial<Record<HeaderName, readonly string[]>>;

const PATH_VARIANTS = {
  rate: ["/{name}/dev/v2/rate/{url}"],
  rateBatch: ["/{name}/dev/v2/rate/batch"],
  contentToken: ["/{name}/dev/v2/tokens/content"],
  indexingToken: ["/{name}/dev/v2/tokens/crawl"],
  selfReport: ["/dev/v2/transactions/selfReport"],
} as const satisfies Partial<Record<PathName, readonly string[]>>;

const VARIANTS = [
  ...Object.entries(HEADER_VARIANTS).flatMap(([name, all]) => all.map((text) => ["headers", name, text] as const)),
  ...Object.entries(PATH_VARIANTS).flatMap(([name, all]) => all.map((text) => ["paths", name, text] as const)),
];

test.each(VARIANTS)("accepts the variant seen for %s.%s: %s", (section, name, template) => {
  const profile = createProfile({ service: "Tollbit", [section]: { [name]: template } });
  const used =
    section === "headers"
      ? `${profile.headers[name as HeaderName]}${profile.tokenPrefix === "" ? "" : `: ${profile.tokenPrefix.trim()}`}`
      : profile.paths[name as PathName].before;
  expect(used).toBe(template.replace("{Name}", "Tollbit").replace("{name}", "tollbit").replace("{url}", ""));
});

test.each([
  ["a service name with a space", { service: "My Service" }],
  ["an empty service name", { service: "" }],
  ["a service name with a line break", { service: "A\r\nB" }],
  ["a header with a space", { headers: { key: "My Key" } }],
  ["a header that is HTTP's own", { headers: { key: "Host" } }],
  ["a scheme before a key, which is not where schemes go", { headers: { key: "Authorization: Bearer" } }],
  ["a path without its parameter", { paths: { content: "/content" } }],
  ["a path with its parameter twice", { paths: { content: "/content/{url}/{url}" } }],
  ["a path with another's parameter", { paths: { catalog: "/catalog/{url}" } }],
  ["a path that does not begin with a slash", { paths: { history: "history" } }],
  ["a path that is an address", { paths: { history: "https://elsewhere.example/" } }],
  ["a path with a query", { paths: { history: "/history?a=1" } }],
  ["a path with a line break", { paths: { history: "/history\r\n" } }],
])("refuses %s", (_name, options) => {
  expect(() => createProfile(options)).toThrow(expect.objectContaining({ code: "CONFIG_INVALID" }));
});
