/** The gateway's answers, as texts on the wire. */
import type { Format } from "./gateway-state.ts";
import type { ModelAnswer } from "./model-gateway.ts";
import type { Page, Rate } from "./published.ts";

export function jsonAnswer(value: unknown): ModelAnswer {
  return { status: 200, headers: { "content-type": "application/json" }, body: JSON.stringify(value) };
}

export function problem(status: number, detail: string): ModelAnswer {
  const body = JSON.stringify({ type: "about:blank", title: `${status}`, status, detail, instance: "" });
  return { status, headers: { "content-type": "application/problem+json" }, body };
}

/** @param idName the license's id is `id` in single rates and content, `cuid` elsewhere (gateway-spec § License) */
export function toRateOption(rate: Rate, idName: "id" | "cuid") {
  return { price: { priceMicros: rate.micros, currency: rate.currency }, license: toLicense(rate, idName) };
}

export function toLicense({ cuid, licenseType, permissions, hidesPermissions }: Rate, idName: "id" | "cuid") {
  return {
    [idName]: cuid,
    licenseType,
    licensePath: `https://licenses.example/${cuid}`,
    ...(hidesPermissions ? {} : { permissions: permissions.map((name) => ({ name })) }),
  };
}

/** The page's text: another one for each page, version and format. */
export function toBody({ url, version }: Page, format: Format): string {
  return format === "html"
    ? `<h1>${url}</h1>\n<p>Version ${version}.</p>\n`
    : `# ${url}\n\nVersion ${version}, in Markdown.\n`;
}
