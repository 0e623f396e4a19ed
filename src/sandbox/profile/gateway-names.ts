/**
 * The names that depend on the service: headers, one path segment, and the deviations of other deployments.
 *
 * The default is the gateway specification. Each variant exists in real deployments, so that a client can be tested with
 * it.
 */

/** The keys of licet's `gateway.headers` and `gateway.paths`, with the templates of the specification. */
const HEADERS = {
  /** `Header: Scheme` puts the scheme before the token, as in `Authorization: Bearer`. */
  token: "{Name}Token",
  key: "{Name}Key",
  acceptContent: "{Name}-Accept-Content",
  /** Sent in addition to User-Agent, on the self-report. */
  reportAgent: "UserAgent",
} as const;

const PATHS = {
  content: "/dev/v2/content/{url}",
  catalog: "/dev/v2/content/{host}/catalog/list",
  rate: "/dev/v2/rates/{url}",
  rateBatch: "/dev/v2/rates/batch",
  contentToken: "/dev/v2/tokens/content",
  indexingToken: "/dev/v2/tokens/crawl",
  selfReport: "/{name}/dev/v2/transactions/selfReport",
  history: "/dev/v1/webhook/history",
} as const;

export type HeaderKey = keyof typeof HEADERS;
export type PathKey = keyof typeof PATHS;
export const HEADER_KEYS = Object.keys(HEADERS) as readonly HeaderKey[];
export const PATH_KEYS = Object.keys(PATHS) as readonly PathKey[];

/** A raw path: the text before and after its encoded parameter, or the whole path. */
export interface PathTemplate {
  readonly before: string;
  /** null: the path has no parameter. */
  readonly after: string | null;
}

export type SandboxPaths = Readonly<Record<PathKey, PathTemplate>>;

/** Deviations from the specification. An absent field means no deviation. */
export interface ProfileVariants {
  /** Header names by licet's own keys; `{Name}` stands for the service. */
  readonly headers?: Partial<Record<HeaderKey, string | undefined>> | undefined;
  /** Paths by licet's own keys; `{name}` stands for the service in lower case, `{url}` and `{host}` for the parameter. */
  readonly paths?: Partial<Record<PathKey, string | undefined>> | undefined;
  /** Self-report answer: the bare array, or `{"receipts": [...]}`. @default "array" */
  readonly reportShape?: "array" | "receipts";
  /** What the license identifier is called in receipts. @default "cuid" */
  readonly licenseIdName?: "cuid" | "id";
  /** How catalog `lastMod` and webhook timestamps are written. @default "nanoseconds" */
  readonly timestamps?: "nanoseconds" | "milliseconds" | "epoch-seconds" | "missing";
  /** Media type of error bodies. @default "application/problem+json" */
  readonly problemType?: "application/problem+json" | "application/json";
}

/** A header of this deployment. */
export interface NamedHeader {
  /** As it is written in errors. */
  readonly name: string;
  /** In lower case, as `node:http` gives it. */
  readonly key: string;
}

/** Every name of one deployment, resolved. */
export interface GatewayNames {
  readonly headers: Readonly<Record<HeaderKey, NamedHeader>>;
  /** The text before a token in its header, without the space. Null: nothing. */
  readonly tokenScheme: string | null;
  readonly paths: SandboxPaths;
  readonly reportShape: "array" | "receipts";
  readonly licenseIdName: "cuid" | "id";
  readonly timestamps: "nanoseconds" | "milliseconds" | "epoch-seconds" | "missing";
  readonly problemType: string;
}

const HEADER_PATTERN = /^[\w!#$%&'*+.^`|~-]+$/;
const SCHEME_PATTERN = /^([^:\s]+):\s*([A-Za-z][A-Za-z0-9-]*)$/;
const PATH_PATTERN = /^\/[^?#\s{}]*$/;
const SERVICE_PATTERN = /^[A-Za-z][A-Za-z0-9-]*$/;

/**
 * The names of a service.
 *
 * @throws Error when the service's name cannot stand in a header name, or a header or path cannot be one.
 */
export function createGatewayNames(service: string, variants: ProfileVariants = {}): GatewayNames {
  if (!SERVICE_PATTERN.test(service)) {
    throw new Error(`service: "${service}" cannot stand in a header name; use letters, digits and hyphens`);
  }
  const fill = (template: string) => template.replaceAll("{Name}", service).replaceAll("{name}", service.toLowerCase());
  const token = fill(variants.headers?.token ?? HEADERS.token);
  const [, tokenHeader = token, tokenScheme = null] = SCHEME_PATTERN.exec(token) ?? [];
  const toHeader = (key: HeaderKey) =>
    nameHeader(key, key === "token" ? tokenHeader : fill(variants.headers?.[key] ?? HEADERS[key]));
  const toPath = (key: PathKey) => splitPath(key, fill(variants.paths?.[key] ?? PATHS[key]));
  return {
    headers: {
      token: toHeader("token"),
      key: toHeader("key"),
      acceptContent: toHeader("acceptContent"),
      reportAgent: toHeader("reportAgent"),
    },
    tokenScheme,
    paths: Object.fromEntries(PATH_KEYS.map((key) => [key, toPath(key)])) as SandboxPaths,
    reportShape: variants.reportShape ?? "array",
    licenseIdName: variants.licenseIdName ?? "cuid",
    timestamps: variants.timestamps ?? "nanoseconds",
    problemType: variants.problemType ?? "application/problem+json",
  };
}

function nameHeader(key: HeaderKey, name: string): NamedHeader {
  if (!HEADER_PATTERN.test(name)) {
    throw new Error(`headers.${key}: "${name}" cannot be a header name`);
  }
  return { name, key: name.toLowerCase() };
}

function splitPath(key: PathKey, path: string): PathTemplate {
  const parameter = /\{(?:url|host)\}/.exec(PATHS[key])?.[0];
  const [before = "", after = null, ...more] = parameter === undefined ? [path] : path.split(parameter);
  const isWhole = (after !== null) === (parameter !== undefined) && more.length === 0;
  if (!isWhole || !PATH_PATTERN.test(before) || (after !== null && !PATH_PATTERN.test(`/${after}`))) {
    const needs = parameter === undefined ? "" : ` and contain ${parameter} once`;
    throw new Error(`paths.${key}: "${path}" must start with /${needs}, and have no query`);
  }
  return { before, after };
}

/** Writes a time (epoch ms) in the form of this deployment. `undefined` when it leaves timestamps out. */
export function writeTimestamp(names: GatewayNames, at: number): string | undefined {
  switch (names.timestamps) {
    case "nanoseconds":
      return `${new Date(at).toISOString().slice(0, -1)}000000Z`;
    case "milliseconds":
      return new Date(at).toISOString();
    case "epoch-seconds":
      return String(Math.floor(at / 1000));
    case "missing":
      return undefined;
  }
}
