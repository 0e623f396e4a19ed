/** Tokens and what they buy (gateway-spec § Endpoints 1 and 2, gateway-notes § Tokens interface). */
import type { IssuedToken } from "./account.ts";
import { jsonAnswer, problem, toBody } from "./answers.ts";
import { type Arrival, type Fields, Protest, readFields, requireText, requireWhole } from "./arrival.ts";
import { toCharge, toContentAnswer } from "./content-answer.ts";
import type { Format, GatewayState, Sale } from "./gateway-state.ts";
import type { ModelAnswer, ModelGatewayOptions } from "./model-gateway.ts";
import { findLastRate, findPage, findRate, type Page } from "./published.ts";

type Terms = Pick<IssuedToken, "kind" | "licenseType" | "licenseCuid" | "capMicros" | "currency">;

export function issueContentToken(state: GatewayState, arrival: Arrival): ModelAnswer {
  const fields = readFields(arrival);
  const spelling = requireText(fields, "url");
  const userAgent = requireAgent(fields, state.options);
  const capMicros = requireWhole(fields.maxPriceMicros, "maxPriceMicros", 0);
  const currency = requireText(fields, "currency");
  const licenseType = requireText(fields, "licenseType");
  const cuid = readCuid(fields);
  const format = requireText(fields, "format");
  if (format !== "markdown" && format !== "html") {
    throw new Protest(400, `there is no format ${format}`);
  }
  const page = findPage(state, spelling);
  if (page === undefined || findLastRate(page, licenseType, cuid) === undefined) {
    throw new Protest(404, `a token was asked for ${spelling} with ${licenseType} ${cuid}, which was never on offer`);
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
  return issue(state, { url: page.url, spelling, userAgent, format, terms }, arrival.now);
}

export function issueIndexingToken(state: GatewayState, arrival: Arrival): ModelAnswer {
  const fields = readFields(arrival);
  const spelling = requireText(fields, "url");
  const userAgent = requireAgent(fields, state.options);
  const page = findPage(state, spelling);
  const refusal = refusalOf(page);
  const terms: Terms = { kind: "indexing", licenseType: null, licenseCuid: null, capMicros: null, currency: null };
  const url = page?.url ?? spelling;
  return refusal ?? issue(state, { url, spelling, userAgent, format: null, terms }, arrival.now);
}

interface Asked {
  readonly url: string;
  readonly spelling: string;
  readonly userAgent: string;
  readonly format: Format | null;
  readonly terms: Terms;
}

function issue(
  { tokens, sales, traits }: GatewayState,
  { url, spelling, userAgent, format, terms }: Asked,
  now: number,
): ModelAnswer {
  const expiresAt = now + traits.tokenLifeMs;
  const claims = { jti: tokens.length, exp: Math.floor(expiresAt / 1000) };
  const token = `model.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.unsigned`;
  const issued: IssuedToken = { token, url, spelling, ...terms, issuedAt: now, expiresAt, usedAt: null };
  tokens.push(issued);
  sales.set(token, { issued, userAgent, format });
  return jsonAnswer({ token });
}

/** The chargeable step: a token is used up, and the page charged, by the answer that hands the content out, and by no other. */
export function sellContent(state: GatewayState, { issued }: Sale, format: Format, now: number): ModelAnswer {
  const { pages, charges, isFixed } = state;
  if (issued.usedAt !== null || now >= issued.expiresAt) {
    return problem(401, "the token is used up or has expired");
  }
  const page = pages.get(issued.url);
  const refusal = refusalOf(page);
  if (page === undefined || refusal !== null) {
    return refusal ?? problem(404, "there is no such page");
  }
  if (!isFixed && page.traits.content === "unauthorized") {
    return problem(401, "the header that carries the token is missing");
  }
  if (!isFixed && page.traits.content === "redirect") {
    return { status: 302, headers: { location: "https://login.example/" }, body: "" };
  }
  const isEmpty = !isFixed && page.traits.content === "empty";
  const body = isEmpty ? "" : toBody(page, format);
  if (issued.licenseType === null || issued.capMicros === null) {
    issued.usedAt = now;
    return toContentAnswer(state, page, body, null);
  }
  const rate = findRate(page, issued.licenseType, issued.licenseCuid);
  if (rate === undefined || rate.currency !== issued.currency || rate.micros > issued.capMicros) {
    return problem(400, "the page's rate is above the token's cap");
  }
  issued.usedAt = now;
  const charge = toCharge(state, { issued, page, rate, body, now });
  charges.push(charge);
  return toContentAnswer(state, page, body, { charge, rate });
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

/** Needed for a custom license alone. */
export function readCuid(fields: Fields): string | null {
  const isNeeded = fields.licenseType === "CUSTOM_LICENSE" || fields.licenseCuid !== undefined;
  return isNeeded ? requireText(fields, "licenseCuid") : null;
}
