/**
 * The gateway profile: every name and path that differs between gateways, as data. No other file contains
 * a header name or a path. `service: Tollbit` therefore needs no code, and `gateway.headers` and `gateway.paths` cover other
 * deviations.
 *
 * In a template, `{Name}` is the service name as configured, `{name}` is the name in lower case, and `{url}` and `{host}` are the
 * encoded path parameter.
 */
import { LicetError } from "../errors.ts";
import { DEFAULT_LICENSE_ID_FIELD, DEFAULT_SERVICE, type LicenseIdField, SERVICE_NAME } from "./client-defaults.ts";

/** The default names: the spelling of the specification. */
export const HEADER_TEMPLATES = {
  /** The one-time token. `Header: Scheme` writes the scheme before the token, as in `Authorization: Bearer`. */
  token: "{Name}Token",
  /** The API key. */
  key: "{Name}Key",
  /** The requested format of the content. */
  acceptContent: "{Name}-Accept-Content",
  /** The agent in a usage report, sent in addition to `User-Agent`. */
  reportAgent: "UserAgent",
} as const;

export const PATH_TEMPLATES = {
  content: "/dev/v2/content/{url}",
  catalog: "/dev/v2/content/{host}/catalog/list",
  rate: "/dev/v2/rates/{url}",
  rateBatch: "/dev/v2/rates/batch",
  contentToken: "/dev/v2/tokens/content",
  indexingToken: "/dev/v2/tokens/crawl",
  selfReport: "/{name}/dev/v2/transactions/selfReport",
  history: "/dev/v1/webhook/history",
} as const;

/** The headers whose names differ between gateways. */
export type HeaderName = keyof typeof HEADER_TEMPLATES;
/** The endpoints whose paths differ between gateways. */
export type PathName = keyof typeof PATH_TEMPLATES;

/** The names of the service, its headers and its paths, where they differ from the specification. */
export interface ProfileOptions {
  /** @default "Service" */
  readonly service?: string | undefined;
  /** Templates by name. Names that are left out keep the specification's spelling. */
  readonly headers?: Partial<Record<HeaderName, string | undefined>> | undefined;
  readonly paths?: Partial<Record<PathName, string | undefined>> | undefined;
  /** @default "licenseCuid" */
  readonly licenseIdField?: LicenseIdField | undefined;
}

/** The resolved profile. Only the parameter of a path is still open. */
export interface GatewayProfile {
  readonly headers: Readonly<Record<HeaderName, string>>;
  /** The text before the token in its header: empty, or a scheme and a space. */
  readonly tokenPrefix: string;
  readonly paths: Readonly<Record<PathName, { readonly before: string; readonly after: string }>>;
  readonly licenseIdField: LicenseIdField;
}

const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;
/** Headers that belong to HTTP itself or that licet sets. */
const RESERVED_HEADERS = /^(?:host|connection|keep-alive|content-.*|transfer-encoding|te|trailer|upgrade|expect)$/i;
const TOKEN_SCHEME = /^([^:\s]+):\s*([A-Za-z][A-Za-z0-9-]*)$/;
const PATH = /^\/[\w.~!$&'()*+,;=:@%/-]*$/;

/** @throws LicetError CONFIG_INVALID for a name that cannot be a header or a path */
export function createProfile(options: ProfileOptions = {}): GatewayProfile {
  const service = options.service ?? DEFAULT_SERVICE;
  if (!SERVICE_NAME.test(service)) {
    throw invalid("gateway.service", "must be a word of letters, digits and hyphens");
  }
  const fill = (template: string) => template.replaceAll("{Name}", service).replaceAll("{name}", service.toLowerCase());

  const headers: Record<string, string> = {};
  let tokenPrefix = "";
  for (const name of Object.keys(HEADER_TEMPLATES) as HeaderName[]) {
    let header = fill(options.headers?.[name] ?? HEADER_TEMPLATES[name]);
    const scheme = name === "token" ? TOKEN_SCHEME.exec(header) : null;
    if (scheme !== null) {
      header = scheme[1] as string;
      tokenPrefix = `${scheme[2]} `;
    }
    if (!HEADER_NAME.test(header) || RESERVED_HEADERS.test(header)) {
      throw invalid(`gateway.headers.${name}`, "is not a header name that can carry it");
    }
    headers[name] = header;
  }

  const paths: Record<string, { before: string; after: string }> = {};
  for (const name of Object.keys(PATH_TEMPLATES) as PathName[]) {
    paths[name] = splitPath(name, fill(options.paths?.[name] ?? PATH_TEMPLATES[name]));
  }

  return {
    headers: headers as GatewayProfile["headers"],
    tokenPrefix,
    paths: paths as GatewayProfile["paths"],
    licenseIdField: options.licenseIdField ?? DEFAULT_LICENSE_ID_FIELD,
  };
}

function splitPath(name: PathName, path: string): { before: string; after: string } {
  const parameter = /\{(?:url|host)\}/.exec(PATH_TEMPLATES[name])?.[0];
  const parts = parameter === undefined ? [path, ""] : path.split(parameter);
  const [before, after] = parts;
  if (parts.length !== 2 || before === undefined || after === undefined) {
    throw invalid(`gateway.paths.${name}`, `must contain ${parameter} once`);
  }
  if (!PATH.test(before) || !PATH.test(`/${after}`)) {
    throw invalid(`gateway.paths.${name}`, "must be a path that starts with / and has no query");
  }
  return { before, after };
}

function invalid(key: string, what: string): LicetError {
  return new LicetError("CONFIG_INVALID", `${key} ${what}`, {
    hint: "Omit it to use the specification's own spelling.",
    details: { key },
  });
}
