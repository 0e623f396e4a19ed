import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { cliHere } from "../doubles/cli-here.ts";
import { type HostileGateway, honestRate, LICENSE, RawAnswer } from "./hostile-gateway.ts";
import { API_KEY, createHostileWorld, type HostileWorld, pageUrls } from "./hostile-world.ts";

/** Everything that a terminal acts on or hides, in one text: escapes, C1, bidi, zero width, line breaks, half a character. */
const EVIL =
  "\u001b]0;owned\u0007\u001b[31mred\u009b2J\u009d0;x\u009c\u202egpj\u2066\u200b\u00ad\ufeff\r\noverwritten\u0085\u2028\ud800\u{e0041}\u007f\b";
/** What HTTP lets into a header's value. */
const EVIL_HEADER = "id\u009b2J\u0085\u00ad";
const PAGES = pageUrls(8);
const ENV = { LICET_API_KEY: API_KEY };

/** Written apart from the code: what must never reach a terminal. Line feeds are ours to write. */
function dangerousIn(text: string): string[] {
  return Array.from(text)
    .map((character) => character.codePointAt(0) ?? 0)
    .filter(
      (code) =>
        (code < 0x20 && code !== 0x0a) ||
        (code >= 0x7f && code <= 0x9f) ||
        code === 0xad ||
        (code >= 0x200b && code <= 0x200f) ||
        (code >= 0x2028 && code <= 0x202e) ||
        (code >= 0x2060 && code <= 0x206f) ||
        (code >= 0xd800 && code <= 0xdfff) ||
        code === 0xfeff ||
        (code >= 0xe0000 && code <= 0xe0fff),
    )
    .map((code) => `U+${code.toString(16)}`);
}

const problem = (status: number) =>
  new RawAnswer(
    status,
    JSON.stringify({ title: EVIL, detail: `no${EVIL}`, code: EVIL, requestId: EVIL, type: EVIL, instance: EVIL }),
    { "x-request-id": EVIL_HEADER, location: "https://evil.example/\u009b2J" },
  );
const htmlPage = new RawAnswer(502, `<html><title>Bad${EVIL}</title>${EVIL}</html>`, { "content-type": "text/html" });
const evilLicense = { ...LICENSE, licensePath: EVIL, permissions: [{ name: EVIL }, EVIL] };

/** Puts the evil text into every string that a gateway may send. */
function poison({ twists }: HostileGateway): void {
  twists.catalog = (honest) => ({
    pages: [
      ...(honest as { pages: object[] }).pages.map((page) => ({ ...page, lastMod: EVIL, propertyId: EVIL })),
      { pageUrl: EVIL },
      { pageUrl: `https://news.example/${EVIL}` },
      { pageUrl: "https://news.example/\u202egpj" },
    ],
  });
  twists.rates = (_, { json }) => (json as { urls: string[] }).urls.map((url) => ({ url, rates: ratesOf(url) }));
  twists.rate = (_, { page }) => ratesOf(page);
  twists.token = (honest, { json }) => ((json as { url: string }).url === PAGES[3] ? problem(400) : honest);
  twists.content = (honest, { page }) => {
    const answers: Record<string, unknown> = {
      [PAGES[1] ?? ""]: problem(404),
      [PAGES[2] ?? ""]: htmlPage,
      [PAGES[6] ?? ""]: problem(302),
    };
    const metadata = { title: EVIL, author: EVIL, description: EVIL, imageUrl: EVIL, modified: EVIL, published: EVIL };
    return (
      answers[page] ?? {
        ...(honest as object),
        content: { header: EVIL, body: `# ${EVIL}`, footer: EVIL },
        metadata,
        rate: { ...honestRate(), license: evilLicense },
      }
    );
  };
  twists.report = (honest) => [
    ...(honest as object[]).slice(1).map((receipt) => ({ ...receipt, totalUsePriceMicros: 7 })),
    { ...(honest as object[])[0], url: `https://news.example/${EVIL}` },
    { ...(honest as object[])[0], license: { ...evilLicense, licenseType: EVIL, cuid: EVIL } },
  ];
  twists.history = () => ({
    Items: [
      {
        subscriptionId: EVIL,
        contentUrl: EVIL,
        deliveryUrl: EVIL,
        eventType: EVIL,
        lastAttempt: EVIL,
        lastStatus: EVIL,
      },
    ],
  });
}

function ratesOf(url: string): unknown[] {
  switch (url) {
    case PAGES[4]:
      return [{ ...honestRate(), error: EVIL }, { error: { code: EVIL } }];
    case PAGES[5]:
      return [
        { ...honestRate(), license: { ...evilLicense, licenseType: EVIL } },
        { price: EVIL, license: EVIL },
      ];
    case PAGES[7]:
      return [{ ...honestRate(), license: { ...evilLicense, cuid: EVIL } }];
    default:
      return PAGES.includes(url) ? [{ ...honestRate(), license: evilLicense }] : [];
  }
}

let world: HostileWorld;
let runId: string;
beforeAll(async () => {
  world = await createHostileWorld({ pages: PAGES });
  poison(world.gateway);
  await world.run();
  runId = world.query<{ name: string }>("SELECT name FROM run")[0]?.name ?? "";
});
afterAll(() => world.close());

const COMMANDS: readonly (readonly string[])[] = [
  ["status"],
  ["status", "RUN"],
  ["audit"],
  ["report"],
  ["history"],
  ...PAGES.map((page) => ["explain", page]),
  ["explain", EVIL],
  ["explain", "https://news.example/\u202egpj"],
  ["use", PAGES[0] ?? "", "--key", EVIL],
  ["use", `https://news.example/${EVIL}`],
  ["use", "https://news.example/\u202egpj"],
  ["export", "--format", "jsonl", "--out", "out"],
  ["export", "--format", "markdown", "--out", "out"],
  ["export", "--format", EVIL, "--out", "out"],
  ["export", "--format", "jsonl", "--out", "out", "--site", EVIL],
  ["resolve", EVIL, "--charged"],
  ["status", EVIL],
  ["status", "--config", `${EVIL}.yaml`],
  ["status", "--env", EVIL],
  ["run", "--max-spend", EVIL],
  ["run", "--max-pages", EVIL],
  ["run", EVIL],
  ["init", `sub/${EVIL}`],
  ["sandbox", "--site", EVIL],
  ["sandbox", "--fault", EVIL],
  [EVIL],
  [`--${EVIL}`],
  ["help", EVIL],
];

/** What the commands above printed: that the evil text came so far, and only its letters were left. */
const printed: string[] = [];

describe("no control character for the terminal comes out of", () => {
  const show = (args: readonly string[]) => JSON.stringify(args.join(" ")).slice(0, 70);
  test.each(COMMANDS.map((args) => ({ name: show(args), args })))("licet $name", async ({ args }) => {
    const given = args.map((argument) => (argument === "RUN" ? runId : argument));
    const plain = await cliHere(given, { cwd: world.directory, env: ENV });
    expect(dangerousIn(plain.stdout + plain.stderr)).toEqual([]);
    expect(plain.stdout + plain.stderr).not.toBe("");
    expect(plain.stderr).not.toMatch(/^\s+at .*:\d+:\d+/m);
    const json = await cliHere([...given, "--json"], { cwd: world.directory, env: ENV });
    expect(json.code).toBe(args[0] === "init" ? 2 : plain.code);
    expectOneDocument(json.stdout, args);
    expect(dangerousIn(json.stdout + json.stderr)).toEqual([]);
    printed.push(plain.stdout + plain.stderr);
  });

  test("although it was in the input", () => {
    const met = printed.filter((text) => text.includes("overwritten") && text.includes("red"));
    expect(met.length).toBeGreaterThan(20);
  });

  test("opening a queue, whether it succeeds or not", async () => {
    for (const args of [["run", "--json"], ["plan"], ["check", "--json"], ["run", "--resume", EVIL]]) {
      const end = await cliHere(args, { cwd: world.directory, env: ENV });
      expect(dangerousIn(end.stdout + end.stderr)).toEqual([]);
      if (args.includes("--json")) {
        expectOneDocument(end.stdout, args);
        for (const line of end.stderr.split("\n").filter((text) => text !== "")) {
          expect(JSON.parse(line)).toMatchObject({ msg: expect.any(String) });
        }
      }
    }
  });

  // Side by side: some of these gateways are asked again and again, after waits.
  test.concurrent.each([
    ["401", problem(401)],
    ["403", problem(403)],
    ["400", problem(400)],
    ["404", problem(404)],
    ["302", problem(302)],
    ["a proxy's page", htmlPage],
    ["no JSON", new RawAnswer(200, EVIL)],
    ["a list of evil", [EVIL]],
  ])("a gateway that answers everything with %s", async (_, answer) => {
    const broken = await createHostileWorld({ pages: PAGES });
    try {
      for (const name of ["catalog", "rates", "rate", "token", "content", "report", "history"] as const) {
        broken.gateway.twists[name] = () => answer;
      }
      await broken.run();
      for (const args of [["status"], ["history"], ["explain", PAGES[0] ?? ""], ["report"]]) {
        for (const form of [[], ["--json"]]) {
          const end = await cliHere([...args, ...form], { cwd: broken.directory, env: ENV });
          expect(dangerousIn(end.stdout + end.stderr)).toEqual([]);
        }
      }
    } finally {
      await broken.close();
    }
  });
});

/** Help is for people in any form. */
function expectOneDocument(stdout: string, args: readonly string[]): void {
  if (args[0] !== "help") {
    expect(() => JSON.parse(stdout)).not.toThrow();
    expect(stdout.endsWith("\n") || stdout.endsWith("}")).toBe(true);
  }
}
