/** The content token: the permission to buy one page at the quoted price or less. */
import type { ContentTokenRequest } from "../gateway.ts";

export function writeContentTokenRequest(request: ContentTokenRequest, userAgent: string): Buffer {
  const { url, maxPrice, licenseType, licenseCuid, format } = request;
  return Buffer.from(
    JSON.stringify({
      url,
      userAgent,
      maxPriceMicros: maxPrice.micros,
      currency: maxPrice.currency,
      licenseType,
      ...(licenseCuid === null ? {} : { licenseCuid }),
      format,
    }),
  );
}
