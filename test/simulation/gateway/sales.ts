/** Tokens and what they buy (gateway-spec § Endpoints 1 and 2, gateway-notes § Tokens interface). */
import type { IssuedToken } from "./account.ts";
import { jsonAnswer, problem, toBody, toRateOption } from "./answers.ts";
import { type Arrival, type Fields, Protest, readFields, requireText, requireWhole } from "./arrival.ts";
import type { Books, Format, Sale } from "./books.ts";
import type { ModelAnswer, ModelGatewayOptions } from "./model-gateway.ts";
import { findLastRate, findRate, type Page, type Rate } from "./published.ts";

type Terms = Pick<IssuedToken, "kind" | "licenseType" | "licenseCuid" | "capMicros" | "currency">;

export function issueContentToken(books: Books, arrival: Arrival): ModelAnswer {
  const fields = readFields(arrival);
  const url = requireText(fields, "url");
  const userAgent = requireAgent(fields, books.options);
  const capMicros = requireWhole(fields.maxPriceMicros, "maxPriceMicros", 0);
  const currency = requireText(fields, "currency");
  const licenseType = requireText(fields, "licenseType");
  const cuid = readCuid(fields);
  const format = requireText(fields, "format");
  if (format !== "markdown" && format !== "html") {
    throw new Protest(400, `there is no format ${format}`);
  }
  const page = books.pages.get(url);
  if (page === undefined || findLastRate(page, licenseType, cuid) === undefined) {
    throw new Protest(404, `a token was asked for ${url} with ${licenseType} ${cuid}, which was never on offer`);
  }
  const refusal = refusalOf(page);
  if (refusal !== null) {
    return refusal;
  }
  const rate = findRate(page, licenseType, cuid);
  if (rate === undefined || rate.currency !== currency || rate.micros > capMicros) {
    return problem(400, "the page has no such rate at this price");
  }
  const terms: Terms = { kind: "content", licenseType, licenseCuid: rate.cuid, capMicros, currency };
  return issue(books, { url, userAgent, format, terms }, arrival.now);
}

export function issueIndexingToken(books: Books, arrival: Arrival): ModelAnswer {
  const fields = readFields(arrival);
  const url = requireText(fields, "url");
  const userAgent = requireAgent(fields, books.options);
  const refusal = refusalOf(books.pages.get(url));
  const terms: Terms = { kind: "indexing", licenseType: null, licenseCuid: null, capMicros: null, currency: null };
  return refusal ?? issue(books, { url, userAgent, format: null, terms }, arrival.now);
}

function issue(
  { tokens, sales, options }: Books,
  { url, userAgent, format, terms }: { url: string; userAgent: string; format: Format | null; terms: Terms },
  now: number,
): ModelAnswer {
  const expiresAt = now + options.tokenLifeMs;
  const claims = { jti: tokens.length, exp: Math.floor(expiresAt / 1000) };
  const token = `model.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.unsigned`;
  const issued: IssuedToken = { token, url, ...terms, issuedAt: now, expiresAt, usedAt: null };
  tokens.push(issued);
  sales.set(token, { issued, userAgent, format });
  return jsonAnswer({ token });
}

/** The chargeable step: a token is used up, and the page charged, by the answer that hands the content out, and by no other. */
export function sellContent(books: Books, { issued }: Sale, format: Format, now: number): ModelAnswer {
  const { pages, charges, options } = books;
  if (issued.usedAt !== null || now >= issued.expiresAt) {
    return problem(401, "the token is used up or has expired");
  }
  const page = pages.get(issued.url);
  const refusal = refusalOf(page);
  if (page === undefined || refusal !== null) {
    return refusal ?? problem(404, "there is no such page");
  }
  const { token, url, licenseType, licenseCuid, capMicros } = issued;
  const body = toBody(page, format);
  if (licenseType === null || capMicros === null) {
    issued.usedAt = now;
    return contentAnswer(page, body, null, options);
  }
  const rate = findRate(page, licenseType, licenseCuid);
  if (rate === undefined || rate.currency !== issued.currency || rate.micros > capMicros) {
    return problem(400, "the page's rate is above the token's cap");
  }
  const isOvercharged = page.overchargeMicros > 0 && !options.omitsRate;
  const micros = isOvercharged ? capMicros + page.overchargeMicros : rate.micros;
  issued.usedAt = now;
  const { cuid, currency } = rate;
  charges.push({ token, url, licenseType, licenseCuid: cuid, micros, currency, at: now, body });
  return contentAnswer(page, body, options.omitsRate ? null : { ...rate, micros }, options);
}

function contentAnswer(page: Page, body: string, rate: Rate | null, { random }: ModelGatewayOptions): ModelAnswer {
  const { url, lastMod } = page;
  const isBare = random() < 0.3;
  return jsonAnswer({
    content: isBare ? { body } : { header: `The top of ${url}`, body, footer: "The end" },
    ...(isBare ? {} : { metadata: { title: `The title of ${url}`, author: "Somebody", modified: lastMod ?? "" } }),
    ...(rate === null ? {} : { rate: toRateOption(rate, "id") }),
  });
}

function refusalOf(page: Page | undefined): ModelAnswer | null {
  if (page === undefined || page.isRemoved) {
    return problem(404, "there is no such page");
  }
  return page.isForbidden ? problem(403, "the publisher refuses access to this page") : null;
}

function requireAgent(fields: Fields, { agentId }: ModelGatewayOptions): string {
  const userAgent = requireText(fields, "userAgent");
  if (!userAgent.includes(agentId)) {
    throw new Protest(401, "a token was asked for another agent");
  }
  return userAgent;
}

/** Needed for a custom licence alone. */
export function readCuid(fields: Fields): string | null {
  const isNeeded = fields.licenseType === "CUSTOM_LICENSE" || fields.licenseCuid !== undefined;
  return isNeeded ? requireText(fields, "licenseCuid") : null;
}
