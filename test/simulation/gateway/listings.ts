/** What a client may request free: catalogs and rates. These requests change nothing. */
import { jsonAnswer, problem, toRateOption } from "./answers.ts";
import { type Arrival, Protest, readFields, requireList, requireNoQueryBut, requireWhole } from "./arrival.ts";
import type { GatewayState } from "./gateway-state.ts";
import type { ModelAnswer } from "./model-gateway.ts";
import { compareCatalogPlaces, currentRates, findPage, type Page } from "./published.ts";
import { respell } from "./spellings.ts";

/** Of a bulk rate answer. */
const REPEAT_CHANCE = 0.1;

/** Of the entries before, where a page of a catalog begins with them. */
const LISTED_AGAIN = 4;

/**
 * The catalog may change between two of its pages. The next page begins at the offset, or right behind the place of the last entry
 * given, whichever comes first: what is added before it makes entries come again, what is removed skips none that stayed.
 */
export function listCatalog({ catalogs, marks, options }: GatewayState, arrival: Arrival, host: string): ModelAnswer {
  const { maxPageSize, random } = options;
  requireNoQueryBut(arrival, ["pageSize", "pageToken"]);
  const { pageSize, pageToken } = Object.fromEntries(arrival.query);
  const size = Math.min(maxPageSize, requireWhole(Number(pageSize ?? maxPageSize), "pageSize", 1));
  const mark = marks.get(pageToken ?? "");
  if (pageToken !== undefined && mark?.host !== host) {
    throw new Protest(400, `the catalog of ${host} never gave the page token "${pageToken}"`);
  }
  const catalog = catalogs.get(host)?.filter(({ isRemoved }) => !isRemoved);
  if (catalog === undefined) {
    return problem(404, "there is no such site");
  }
  const behind = mark === undefined ? 0 : catalog.filter((page) => compareCatalogPlaces(page, mark.last) <= 0).length;
  const first = Math.min(mark?.offset ?? 0, behind);
  const listed = catalog.slice(first, first + size);
  const again = listed[0]?.traits.listsAgain ? catalog.slice(Math.max(0, first - LISTED_AGAIN), first) : [];
  const pages = [...again, ...listed].flatMap((page) => toEntries(page, arrival.now, random));
  const last = listed.at(-1);
  const offset = first + listed.length;
  if (last === undefined || offset === catalog.length) {
    return jsonAnswer({ pages, ...(random() < 0.5 ? { pageToken: "" } : {}) });
  }
  const next = `${host}/+&=${marks.size}`;
  marks.set(next, { host, offset, last: { modifiedAt: last.modifiedAt, number: last.number } });
  return jsonAnswer({ pages, pageToken: next });
}

/** Named in whatever spelling; twice where the site does so, the second time as it was a day before. */
function toEntries({ url, host, lastMod, modifiedAt, traits }: Page, now: number, random: () => number) {
  const pageUrl = respell(url, traits.respells, random);
  const shown = traits.datesOfRequest ? new Date(now).toISOString() : lastMod;
  const entry = { pageUrl, propertyId: `property-${host}`, ...(shown === null ? {} : { lastMod: shown }) };
  const before = new Date(modifiedAt - DAY_MS).toISOString();
  return traits.listsTwice && lastMod !== null && modifiedAt <= now ? [entry, { ...entry, lastMod: before }] : [entry];
}

const DAY_MS = 86_400_000;

export function getRates(state: GatewayState, url: string): ModelAnswer {
  const page = findPage(state, url);
  return page === undefined || page.isRemoved
    ? problem(404, "there is no such page")
    : hidesRates(state, page)
      ? problem(400, "what this page costs cannot be told")
      : jsonAnswer(currentRates(page).map((rate) => toRateOption(rate, "id")));
}

function hidesRates({ isFixed }: GatewayState, { url, traits }: Page): boolean {
  return !isFixed && traits.hidesRatesOf.includes(url);
}

/** In any order, some twice; what is not a page is left out. */
export function getRatesOfMany(state: GatewayState, arrival: Arrival): ModelAnswer {
  const { maxBatchUrls, random } = state.options;
  const urls = requireList(readFields(arrival), "urls");
  if (urls.length > maxBatchUrls) {
    return problem(413, "too many URLs at once");
  }
  const hidden = urls.map((url) => findPage(state, String(url))).find((page) => page && hidesRates(state, page));
  if (hidden !== undefined) {
    return problem(400, "what one of these pages costs cannot be told");
  }
  const entries = urls.flatMap((url) => {
    if (typeof url !== "string") {
      throw new Protest(400, "urls holds something else than texts");
    }
    const page = findPage(state, url);
    if (page === undefined || page.isRemoved) {
      return [];
    }
    const entry = { url, rates: currentRates(page).map((rate) => toRateOption(rate, "cuid")) };
    return random() < REPEAT_CHANCE ? [entry, entry] : [entry];
  });
  const places = entries.map((entry) => ({ entry, place: random() }));
  return jsonAnswer(places.sort((one, other) => one.place - other.place).map(({ entry }) => entry));
}
