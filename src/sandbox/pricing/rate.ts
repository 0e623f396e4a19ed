/** The license types of the specification. */
export const LICENSE_TYPES = ["ON_DEMAND_LICENSE", "ON_DEMAND_FULL_USE_LICENSE", "CUSTOM_LICENSE"] as const;
export type LicenseType = (typeof LICENSE_TYPES)[number];

/** A rate as a test, a page or a rates file gives it. */
export interface RateInput {
  /** Price of one use, in micros. 0 is free. */
  readonly priceMicros: number;
  /** @default "USD" */
  readonly currency?: string;
  /** @default "ON_DEMAND_LICENSE" */
  readonly licenseType?: LicenseType;
  /** License identifier. @default one per license type */
  readonly cuid?: string;
  /** @default the specification's example for the license type */
  readonly permissions?: readonly string[];
  /** @default a path made of the cuid */
  readonly licensePath?: string;
  /** Until when the license is valid, ISO 8601. @default null: it has no end */
  readonly validUntil?: string | null;
}

/** A complete rate. Never changed: a new price is a new rate. */
export interface Rate {
  readonly priceMicros: number;
  readonly currency: string;
  readonly licenseType: LicenseType;
  readonly cuid: string;
  readonly licensePath: string;
  readonly permissions: readonly string[];
  /** ISO 8601. Null: it has no end. */
  readonly validUntil: string | null;
}

/** The rates of a page with both wire forms, made once. */
export interface RateSet {
  readonly rates: readonly Rate[];
  /** As single-page rates answer: `license.id`. */
  readonly singleJson: string;
  /** As bulk rates answer: `license.cuid`. */
  readonly bulkJson: string;
}

const DEFAULTS: Readonly<Record<LicenseType, { cuid: string; permissions: readonly string[] }>> = {
  ON_DEMAND_LICENSE: { cuid: "clsb0ondemand00000000000", permissions: ["PARTIAL_USE"] },
  ON_DEMAND_FULL_USE_LICENSE: { cuid: "clsb0fulluse000000000000", permissions: ["FULL_USE", "PARTIAL_USE"] },
  CUSTOM_LICENSE: { cuid: "clsb0custom0000000000000", permissions: ["PARTIAL_USE"] },
};

/** @throws Error when the price, the currency or the license type is not valid. */
export function createRate(input: RateInput): Rate {
  if (!Number.isSafeInteger(input.priceMicros) || input.priceMicros < 0) {
    throw new Error(`rate: priceMicros must be a whole number of micros, 0 or more, not ${input.priceMicros}`);
  }
  const currency = input.currency ?? "USD";
  if (!/^[A-Z]{3}$/.test(currency)) {
    throw new Error(`rate: currency "${currency}" is not three capital letters`);
  }
  const licenseType = input.licenseType ?? "ON_DEMAND_LICENSE";
  if (!LICENSE_TYPES.includes(licenseType)) {
    throw new Error(`rate: licenseType "${licenseType}" is not one of ${LICENSE_TYPES.join(", ")}`);
  }
  const cuid = input.cuid ?? DEFAULTS[licenseType].cuid;
  return Object.freeze({
    priceMicros: input.priceMicros,
    currency,
    licenseType,
    cuid,
    licensePath: input.licensePath ?? `https://licenses.example/${cuid}`,
    permissions: Object.freeze([...(input.permissions ?? DEFAULTS[licenseType].permissions)]),
    validUntil: input.validUntil ?? null,
  });
}

/** The wire form of a rate. The license's identifier has another name in bulk answers. */
export function toWireRate(rate: Rate, idName: "id" | "cuid") {
  return { license: toWireLicense(rate, idName), price: { priceMicros: rate.priceMicros, currency: rate.currency } };
}

/** The wire form of a license. */
export function toWireLicense(rate: Rate, idName: "id" | "cuid") {
  return {
    [idName]: rate.cuid,
    licensePath: rate.licensePath,
    licenseType: rate.licenseType,
    permissions: rate.permissions.map((name) => ({ name })),
    ...(rate.validUntil === null ? {} : { validUntil: rate.validUntil }),
  };
}

export function createRateSet(rates: readonly Rate[]): RateSet {
  return {
    rates,
    singleJson: JSON.stringify(rates.map((rate) => toWireRate(rate, "id"))),
    bulkJson: JSON.stringify(rates.map((rate) => toWireRate(rate, "cuid"))),
  };
}

/**
 * The rate that a token or a report names: by its license type and, if it is given, its cuid. Of several, the cheapest. A custom
 * license needs the cuid.
 */
export function findRate(rates: readonly Rate[], licenseType: string, cuid: string | undefined): Rate | undefined {
  let found: Rate | undefined;
  for (const rate of rates) {
    if (rate.licenseType !== licenseType) {
      continue;
    }
    if (cuid === undefined ? licenseType === "CUSTOM_LICENSE" : rate.cuid !== cuid) {
      continue;
    }
    if (found === undefined || rate.priceMicros < found.priceMicros) {
      found = rate;
    }
  }
  return found;
}
