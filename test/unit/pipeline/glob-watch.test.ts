import { expect, it } from "vitest";
import { createWalkState, type WalkState } from "../../../src/catalog/walk-state.ts";
import type { CatalogRecorded } from "../../../src/ledger/frontier-ledger.ts";
import { createGlobWatch, type GlobbedSite } from "../../../src/pipeline/walk/glob-watch.ts";
import { allow, toPolicy } from "../../doubles/policy-cases.ts";

const policyOf = (...urls: readonly (readonly string[])[]) => toPolicy(urls.map((globs) => allow({ urls: globs })));

function siteOf(host: string, own: Partial<GlobbedSite> = {}): GlobbedSite {
  return { host, include: [], exclude: [], policy: policyOf(), ...own };
}

const FULL = createWalkState(null);
const SECOND: WalkState = { ...FULL, pageToken: "two", pagesRead: 1 };
const RECORDED = { stale: false, repeated: 0, unchanged: 0, candidates: 0, looped: false, idle: false };

/** One catalog page; a path that begins with `-` is excluded. */
function page(host: string, paths: readonly string[], walk: WalkState = FULL, own: Partial<CatalogRecorded> = {}) {
  const entries = paths.map((path) => {
    const excluded = path.startsWith("-");
    const url = `https://${host}${path.replace("-", "")}`;
    return { url, wireUrl: url, lastMod: null, lastModAt: null, propertyId: null, excluded };
  });
  const excluded = entries.filter((entry) => entry.excluded).length;
  const recorded = { ...RECORDED, seen: paths.length, excluded, walkEnded: true, otherScheme: null, ...own };
  return { host, walk, entries, recorded };
}

it("names the globs that matched no page of a whole catalog, with the count of its pages", () => {
  const site = siteOf("news.example", { include: ["/2025/**", "/2026/**"], exclude: ["/tag/**", "/%C3%A4/*", "/x"] });
  const watch = createGlobWatch([site]);
  const many = Array.from({ length: 1_500 }, (_, index) => `/2025/${index}`);
  watch.walked(page("news.example", many, FULL, { walkEnded: false }));
  watch.walked(page("news.example", ["/2025/a", "-/tag/b", "-/%c3%a4/c"], SECOND));
  expect(watch.warnings()).toEqual([
    "include /2026/** of news.example matched none of 1,503 pages",
    "exclude /x of news.example matched none of 1,503 pages",
  ]);
});

it("says nothing of a walk that was resumed, incremental, cut, not ended, or empty", () => {
  const cases: readonly [string, WalkState, Partial<CatalogRecorded>][] = [
    ["resumed.example", SECOND, {}],
    ["incremental.example", createWalkState(1), {}],
    ["looped.example", FULL, { looped: true }],
    ["idle.example", FULL, { idle: true }],
    ["going.example", FULL, { walkEnded: false }],
    ["empty.example", FULL, { seen: 0 }],
  ];
  const watch = createGlobWatch(cases.map(([host]) => siteOf(host, { exclude: ["/never/**"] })));
  for (const [host, walk, own] of cases) {
    watch.walked(page(host, own.seen === 0 ? [] : ["/a"], walk, own));
  }
  expect(watch.warnings()).toEqual([]);
});

it("names a rule's globs only if no site of its policy has a page for them that is not excluded", () => {
  const policy = policyOf(["/a/*", "/b/*"], ["/c/*"], []);
  const sites = [siteOf("one.example", { policy }), siteOf("two.example", { policy })];
  const watch = createGlobWatch(sites);
  watch.walked(page("one.example", ["/a/1", "-/c/1"]));
  expect(watch.warnings()).toEqual([]);
  watch.walked(page("two.example", ["/d"]));
  expect(watch.warnings()).toEqual([
    "urls /b/* of rule 1 of policy standard matched none of 2 pages that are not excluded",
    "urls /c/* of rule 2 of policy standard matched none of 2 pages that are not excluded",
  ]);
});

it("names ten globs of a list and counts the others", () => {
  const exclude = Array.from({ length: 12 }, (_, index) => `/${index}/**`);
  const watch = createGlobWatch([siteOf("news.example", { exclude })]);
  watch.walked(page("news.example", ["/a"]));
  expect(watch.warnings()).toEqual([
    "exclude /0/**, /1/**, /2/**, /3/**, /4/**, /5/**, /6/**, /7/**, /8/**, /9/** and 2 more of news.example matched none of 1 page",
  ]);
});
