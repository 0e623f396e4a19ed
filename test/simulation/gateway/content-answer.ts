/** The answer with content, and what it says of the charge: the truth, or what a gateway may say instead. */
import type { Charge, IssuedToken } from "./account.ts";
import { jsonAnswer, toRateOption } from "./answers.ts";
import type { GatewayState } from "./gateway-state.ts";
import type { ModelAnswer } from "./model-gateway.ts";
import type { Page, Rate } from "./published.ts";

/** More than is plausible for one page. */
const IMPLAUSIBLE_MICROS = 3_000_000_000_000;

interface Sold {
  readonly issued: IssuedToken;
  readonly page: Page;
  readonly rate: Rate;
  readonly body: string;
  readonly now: number;
}

export function toCharge({ options }: GatewayState, { issued, page, rate, body, now }: Sold): Charge {
  const { token, url, licenseType, capMicros } = issued;
  const { overchargeMicros, traits } = page;
  const charge = options.omitsRate ? "rate" : traits.charge;
  const isOver = overchargeMicros > 0 && !options.omitsRate;
  return {
    token,
    url,
    licenseType: licenseType ?? "",
    licenseCuid: rate.cuid,
    micros: isOver ? (capMicros ?? 0) + overchargeMicros : rate.micros,
    currency: charge === "other_currency" ? "GBP" : rate.currency,
    at: now,
    body,
    said: options.omitsRate ? "nothing" : (SAID[charge as "text"] ?? "truth"),
    isAsOrdered: options.omitsRate || traits.otherLicense === null,
  };
}

const SAID = { text: "what cannot be read", implausible: "what cannot be believed" } as const;

export function toContentAnswer(
  { options }: GatewayState,
  { url, lastMod, traits }: Page,
  body: string,
  sold: { readonly charge: Charge; readonly rate: Rate } | null,
): ModelAnswer {
  const isBare = options.random() < 0.3;
  return jsonAnswer({
    content: isBare ? { body } : { header: `The top of ${url}`, body, footer: "The end" },
    ...(isBare ? {} : { metadata: { title: `The title of ${url}`, author: "Somebody", modified: lastMod ?? "" } }),
    ...(sold === null || options.omitsRate ? {} : { rate: toSaidRate(sold.charge, sold.rate, traits) }),
  });
}

function toSaidRate({ micros, currency, said }: Charge, rate: Rate, { otherLicense }: Page["traits"]) {
  const { price, license } = toRateOption({ ...rate, micros, currency }, "id");
  const priceMicros =
    said === "what cannot be read" ? String(micros) : said === "what cannot be believed" ? IMPLAUSIBLE_MICROS : micros;
  return {
    price: { ...price, priceMicros },
    license: {
      ...license,
      ...(otherLicense === "type" ? { licenseType: otherTypeThan(rate.licenseType) } : {}),
      ...(otherLicense === "cuid" ? { id: "lic-of-another" } : {}),
    },
  };
}

function otherTypeThan(licenseType: string): string {
  return licenseType === "CUSTOM_LICENSE" ? "ON_DEMAND_LICENSE" : "CUSTOM_LICENSE";
}
