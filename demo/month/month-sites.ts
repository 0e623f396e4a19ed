/**
 * What the sites of the month publish: each page is computed from its day and number, so the month is the same each time. The pages of one site are
 * hostile: markup, control characters, other directions of writing, and words without an end stand where titles, authors and licences are.
 */
import type { PageInput } from "../../src/sandbox/pages/page.ts";
import type { RateInput } from "../../src/sandbox/pricing/rate.ts";

export const TIMES = "harbour-times.example";
export const SCIENCE = "science-weekly.example";
export const GUIDES = "atlas-guides.example";
export const ARCHIVE = "old-archive.example";
export const HOSTILE = "markup-lab.example";
export const HOSTS = [TIMES, SCIENCE, GUIDES, ARCHIVE, HOSTILE] as const;

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

const TOPICS = [
  "Harbour bridge",
  "Night trains",
  "City budget",
  "Grain harvest",
  "River levels",
  "School canteens",
  "Old town lamps",
];
const ANGLES = [
  "what changed this year",
  "a visit on site",
  "the figures explained",
  "questions and answers",
  "the long road to it",
];
const FIELDS = [
  "Deep-sea corals",
  "Battery chemistry",
  "Soil microbes",
  "Lunar dust",
  "Bird migration",
  "Glacier cores",
];
const CRAFTS = ["Bread baking", "Bicycle repair", "Balcony gardens", "Map reading", "Bookbinding"];

/** What each site publishes on a day, at some instant before `at`. @param day counted from 0, the first of the month */
export function pagesOfDay(day: number, at: number): readonly PageInput[] {
  return [
    ...times(5, (number) => timesPage(day, number, at)),
    ...(day % 2 === 0 ? times(4, (number) => sciencePage(day, number, at)) : []),
    ...times(2, (number) => guidePage(day, number, at)),
    ...(day % 5 === 0 ? times(3, (number) => archivePage(day, number, at)) : []),
    ...(day === 20 ? hostilePages(at) : []),
  ];
}

/** Cheap news. Each ninth article is a press report that costs more than the policy pays, and each eleventh must be cited. */
function timesPage(day: number, number: number, at: number): PageInput {
  const index = day * 5 + number;
  const title = `${pick(TOPICS, index)}: ${pick(ANGLES, Math.floor(index / 3))}`;
  return page(TIMES, `/news/${dateOf(at)}/${slug(title)}-${index}`, title, at - number * HOUR_MS, [
    { priceMicros: index % 9 === 4 ? 45_000 : 4_000 + ((index * 7) % 13) * 1_250 },
    ...(index % 11 === 6
      ? [{ priceMicros: 1_000, licenseType: "CUSTOM_LICENSE", permissions: ["CITATION_REQUIRED"] } as const]
      : []),
  ]);
}

/** Papers under licences that end: some soon, some have ended. */
function sciencePage(day: number, number: number, at: number): PageInput {
  const index = day * 2 + number;
  const title = `${pick(FIELDS, index)} under the microscope, part ${index + 1}`;
  const validUntil = new Date(at + (6 + ((index * 5) % 40)) * DAY_MS).toISOString();
  return page(SCIENCE, `/papers/${index + 1}`, title, at - number * 2 * HOUR_MS, [
    { priceMicros: 18_000 + (index % 5) * 3_500, licenseType: "ON_DEMAND_FULL_USE_LICENSE", validUntil },
    { priceMicros: 9_000 + (index % 4) * 1_000, validUntil },
  ]);
}

/** Some are dear, some are sold in a currency without a budget, and some are not sold. */
function guidePage(day: number, number: number, at: number): PageInput {
  const index = day * 2 + number;
  const title = `${pick(CRAFTS, index)} for a rainy day ${index + 1}`;
  const rates: readonly RateInput[] =
    index % 7 === 3
      ? []
      : index % 6 === 2
        ? [{ priceMicros: 9_000, currency: "EUR" }]
        : [{ priceMicros: 11_000 + ((index * 3) % 10) * 2_500 }];
  return page(GUIDES, `/guides/${slug(title)}`, title, at - number * HOUR_MS, rates);
}

function archivePage(day: number, number: number, at: number): PageInput {
  const year = 1911 + day + number;
  return page(ARCHIVE, `/scans/${year}/front-page`, `The front page of ${year}`, at - number * HOUR_MS, [
    { priceMicros: 6_000 },
  ]);
}

const MARKUP = "<script>alert(1)</script><img src=x onerror=alert(2)>";
const QUOTES = `"><svg onload=alert(3)> ' onmouseover='alert(4)`;
const OVERRIDE = "invoice \u202Efdp.exe\u202C, \u2067then the other direction\u2069";
const CONTROLS = "bell\u0007, escape\u001B[31mred\u001B[0m, delete\u007F, next line\u0085, zero\u200Bwidth";
const LONG = "Donaudampfschifffahrt".repeat(480);

function hostilePages(at: number): readonly PageInput[] {
  const titles = [
    ["/<script>alert(5)</script>", MARKUP],
    ["/a?q=%22%3E%3Cimg%20src=x%20onerror=alert(6)%3E&x='\"", QUOTES],
    ["/rtl/%E2%80%AEgnp.txt", OVERRIDE],
    ["/controls/%07%1B", CONTROLS],
    [`/long/${"slow-".repeat(380)}`, LONG],
    ["/javascript:alert(7)", "javascript:alert(7)"],
    ["/emoji/%F0%9F%A6%84", "A unicorn 🦄, e\u0301 composed, 日本語の題名, عنوان بالعربية"],
    ["/empty", " "],
    ["/end-of-text", "</title></textarea></style><!--"],
  ];
  return titles.map(([path = "", title = ""], index) => ({
    ...page(HOSTILE, path, title, at - index * HOUR_MS, [
      { priceMicros: 2_000 + index, cuid: `cuid-${index}-<b onclick=alert(8)>"'`, licensePath: "javascript:alert(9)" },
    ]),
    author: `${MARKUP} & ${OVERRIDE}`,
  }));
}

function page(host: string, path: string, title: string, at: number, rates: readonly RateInput[]): PageInput {
  return {
    url: `https://${host}${path}`,
    title,
    author: "The desk",
    lastMod: new Date(at).toISOString(),
    markdown: `# ${title}\n\n${TEXT.repeat(3)}\n\n| figure | value |\n|---|---:|\n| the first | 1 |\n| the second | 2 |\n`,
    rates,
  };
}

const TEXT =
  "Nobody had counted them before. The town has done so now, street by street, and the figures are in the table below. What follows from them is open.\n\n";

function pick<Item>(items: readonly Item[], index: number): Item {
  return items[index % items.length] as Item;
}

function times<Item>(count: number, make: (number: number) => Item): Item[] {
  return Array.from({ length: count }, (_, number) => make(number));
}

function slug(text: string): string {
  return text.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
}

function dateOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}
