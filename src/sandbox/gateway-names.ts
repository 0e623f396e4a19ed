/**
 * The names that depend on the service: headers, one path segment, and the deviations that other deployments show.
 *
 * The default is what gateway-spec.md says. Each variant exists somewhere in the wild (gateway-notes.md), so that a
 * client can be tried against it.
 */

/** Raw paths, all relative to the base address. The ones that end in `/` are followed by an encoded URL. */
export interface SandboxPaths {
  readonly content: string;
  readonly rates: string;
  readonly bulkRates: string;
  readonly contentToken: string;
  readonly indexingToken: string;
  readonly selfReport: string;
  readonly history: string;
}

/** Deviations from the specification. Leaving one out means: as the specification says. */
export interface ProfileVariants {
  /** Token header. `Authorization` means `Authorization: Bearer <token>`. @default `<Service>Token` */
  readonly tokenHeader?: string;
  /** API key header. @default `<Service>Key` */
  readonly keyHeader?: string;
  /** Format header of content requests. @default `<Service>-Accept-Content` */
  readonly acceptContentHeader?: string;
  /** Agent header of the self-report. @default `UserAgent` */
  readonly reportAgentHeader?: string;
  /** Paths that differ. */
  readonly paths?: Partial<SandboxPaths>;
  /** Self-report answer: the bare array, or `{"receipts": [...]}`. @default "array" */
  readonly reportShape?: "array" | "receipts";
  /** What the licence identifier is called in receipts. @default "cuid" */
  readonly licenseIdName?: "cuid" | "id";
  /** How catalog `lastMod` and webhook timestamps are written. @default "nanoseconds" */
  readonly timestamps?: "nanoseconds" | "milliseconds" | "epoch-seconds" | "missing";
  /** Media type of error bodies. @default "application/problem+json" */
  readonly problemType?: "application/problem+json" | "application/json";
}

/** Every name of one deployment, resolved. Header names are in lower case, as `node:http` hands them over. */
export interface GatewayNames {
  readonly service: string;
  readonly tokenHeader: string;
  readonly keyHeader: string;
  readonly acceptContentHeader: string;
  readonly reportAgentHeader: string;
  readonly paths: SandboxPaths;
  readonly reportShape: "array" | "receipts";
  readonly licenseIdName: "cuid" | "id";
  readonly timestamps: "nanoseconds" | "milliseconds" | "epoch-seconds" | "missing";
  readonly problemType: string;
}

const SERVICE_PATTERN = /^[A-Za-z][A-Za-z0-9-]*$/;

/**
 * The names of a service.
 *
 * @throws Error when the service's name cannot stand in a header name.
 */
export function createGatewayNames(service: string, variants: ProfileVariants = {}): GatewayNames {
  if (!SERVICE_PATTERN.test(service)) {
    throw new Error(`service: "${service}" cannot stand in a header name; use letters, digits and hyphens`);
  }
  const paths: SandboxPaths = {
    content: "/dev/v2/content/",
    rates: "/dev/v2/rates/",
    bulkRates: "/dev/v2/rates/batch",
    contentToken: "/dev/v2/tokens/content",
    indexingToken: "/dev/v2/tokens/crawl",
    selfReport: `/${service.toLowerCase()}/dev/v2/transactions/selfReport`,
    history: "/dev/v1/webhook/history",
    ...variants.paths,
  };
  return {
    service,
    tokenHeader: (variants.tokenHeader ?? `${service}Token`).toLowerCase(),
    keyHeader: (variants.keyHeader ?? `${service}Key`).toLowerCase(),
    acceptContentHeader: (variants.acceptContentHeader ?? `${service}-Accept-Content`).toLowerCase(),
    reportAgentHeader: (variants.reportAgentHeader ?? "UserAgent").toLowerCase(),
    paths,
    reportShape: variants.reportShape ?? "array",
    licenseIdName: variants.licenseIdName ?? "cuid",
    timestamps: variants.timestamps ?? "nanoseconds",
    problemType: variants.problemType ?? "application/problem+json",
  };
}

/** Writes an instant (epoch ms) the way this deployment does; `undefined` where it leaves timestamps out. */
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
