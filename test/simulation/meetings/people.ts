/** The persons of a meeting: what they ask for by command and over HTTP, and what they do with runs that are at work. */
import { createAgentOn } from "../../../src/agent/create-agent.ts";
import { drawOrder } from "../draw-scenario.ts";
import type { ProcessJob, SimulatedProcess } from "../process.ts";
import { createRandom, type Random } from "../random.ts";
import type { Settings } from "../scenario.ts";
import { SERVE_TOKEN } from "../scenario-config.ts";
import type { World } from "../world.ts";
import { type Ask, type Asks, kindsAsked } from "./asks.ts";
import { Exits } from "./exits.ts";
import { Lists } from "./lists.ts";
import { isWithin, type Meeting } from "./meeting.ts";
import { Plans } from "./plans.ts";
import { type SimulatedService, serveJob } from "./service-process.ts";
import { Stops } from "./stops.ts";

const SECOND_MS = 1_000;
/** What an answer says where something kept the service from ending what it was asked to cancel. */
const STOPPED_ALL_THE_SAME = "is stopped, and not cancelled yet";
const TOLD_TO_STOP = "was told to stop";

export class People {
  readonly #world: World;
  readonly #meeting: Meeting;
  readonly #asks: Asks;
  readonly #random: Random;
  readonly #lists: Lists;
  readonly #plans: Plans;
  readonly #stops: Stops;
  readonly #choices: Random;
  readonly #impatience: Random;
  /** What commands said when they ended. */
  readonly exits: Exits;
  readonly #unanswered = new Set<{ readonly url: string; readonly process: SimulatedProcess }>();
  /** Whoever answers at the address of the service. */
  listening: (SimulatedService & { readonly process: SimulatedProcess }) | null = null;

  constructor(world: World, meeting: Meeting, asks: Asks, random: Random) {
    this.#world = world;
    this.#meeting = meeting;
    this.#asks = asks;
    this.#random = random;
    this.#plans = new Plans(world);
    this.#choices = createRandom(meeting.scenario.seed, "choices");
    this.#impatience = createRandom(meeting.scenario.seed, "impatience");
    this.#lists = new Lists(world, asks, random);
    this.#stops = new Stops(world, asks, this.#impatience);
    this.exits = new Exits(world);
  }

  get plans(): Plans {
    return this.#plans;
  }

  /** The process of the service, while it is alive. */
  get service(): SimulatedProcess | null {
    const process = this.listening?.process;
    return process === undefined || process.hasEnded || !process.isAlive ? null : process;
  }

  /** What somebody asked of the service that works now, and got no answer to. */
  unanswered(): readonly string[] {
    const asked = [...this.#unanswered].filter(({ process }) => process === this.service);
    return asked.map(({ url }) => url);
  }

  serve(): void {
    if (this.#meeting.hasService && this.service === null) {
      const [settings] = this.#meeting.configurations;
      const service: SimulatedService = { app: null };
      const process = this.#world.start({
        kind: "serve",
        job: serveJob(this.#world, service, (message) => this.exits.hear(message)),
        settings,
        skewMs: 0,
      });
      this.listening = Object.assign(service, { process });
    }
  }

  /** Another one has the lease now: what is asked over HTTP goes to it. */
  turnTo(service: SimulatedService & { readonly process: SimulatedProcess }): void {
    this.listening = service;
  }

  /** Somebody asks for something. */
  ask(): void {
    const random = this.#random;
    const kind = random.pick(kindsAsked(this.#world.scenario));
    if (kind === "service" && this.service !== null) {
      this.askService();
    } else if (kind === "list") {
      this.#buyList();
    } else if (kind === "plan") {
      this.#plan();
    } else if (kind === "fetch") {
      this.#fetch();
    } else {
      this.#walk();
    }
  }

  /** Somebody is about to run everything. */
  askForAll(settings: Settings): void {
    const hosts = settings.sites.map(({ host }) => host);
    const [what, urls] = ["somebody runs all", this.#urlsOf(hosts)];
    this.#asks.add({ what, kind: "walk", settings, urls, hosts: new Set(hosts), maxPages: null, process: null });
  }

  /** Somebody removes what may not be kept, on the machine whose clock is wrong, if there is one. */
  purge(): void {
    const skewMs = this.#meeting.skews.at(-1) ?? 0;
    const settings = this.#random.pick(this.#meeting.configurations);
    const job: ProcessJob = (resources, bus) => createAgentOn(resources, bus).purge();
    const { name } = this.#world.start({ kind: "purge", settings, skewMs, job });
    this.#world.note(() => `${name} works by a clock that is ${skewMs} ms ahead`);
  }

  /** Somebody stops, cancels or resumes a run, by command or over HTTP. */
  act(): void {
    const random = this.#random;
    const stoppable = this.#asks.all.filter((ask) => this.#isAtWork(ask) && !this.#stops.isUnderWay(ask));
    const interruptible = stoppable.filter((ask) => ask.process !== null);
    if (interruptible.length > 0 && this.#impatience.chance(0.3)) {
      this.#stops.interrupt(this.#impatience.pick(interruptible));
      return;
    }
    const act = random.pick(["interrupt", "stop", "cancel", "resume"] as const);
    if (act === "resume") {
      this.#resume();
      return;
    }
    if (stoppable.length === 0) {
      return;
    }
    const ask = random.pick(stoppable);
    if (act === "interrupt") {
      this.#stops.interrupt(ask);
    } else {
      this.#tell(ask, act);
    }
  }

  #walk(): void {
    const random = this.#random;
    const settings = random.pick(this.#meeting.configurations);
    const hosts = this.#drawHosts(settings);
    const maxPages = this.#drawLimit();
    const bySpend = maxPages !== null && random.chance(0.5);
    const order = this.#drawOrder();
    const process = this.#world.start({
      kind: "run",
      settings,
      skewMs: 0,
      job: this.exits.watch((resources, bus, signal) =>
        createAgentOn(resources, bus).run({
          hosts,
          signal,
          ...order,
          ...(maxPages === null ? {} : bySpend ? { maxSpend: toSpend(maxPages) } : { maxPages }),
          ...(random.chance(0.2) ? { fresh: true } : {}),
        }),
      ),
    });
    this.#asks.add({
      what: `${process.name} walks ${hosts.join(" and ")}`,
      kind: "walk",
      settings,
      urls: this.#urlsOf(hosts),
      hosts: new Set(hosts),
      maxPages,
      process: process.name,
    });
  }

  #fetch(): void {
    const random = this.#random;
    const settings = random.pick(this.#meeting.configurations);
    const hosts = settings.sites.map(({ host }) => host);
    const all = [...this.#urlsOf(hosts)].filter((url) => isWithin(settings, url));
    const urls = random.shuffle(all).slice(0, random.int(1, 3));
    const process = this.#world.start({
      kind: "fetch",
      settings,
      skewMs: 0,
      job: (resources, bus, signal) => createAgentOn(resources, bus).fetch(urls, { signal }),
    });
    const what = `${process.name} fetches ${urls.join(" and ")}`;
    this.#asks.add({
      what,
      kind: "fetch",
      settings,
      urls: new Set(urls),
      hosts: new Set(),
      maxPages: null,
      process: process.name,
    });
  }

  /** A file that was given before is given again as often as not; now and then it has changed since. */
  #buyList(): void {
    const random = this.#random;
    const settings = random.pick(this.#meeting.configurations);
    const hosts = this.#meeting.scenario.sites.map(({ host }) => host);
    const list = this.#lists.give([...this.#urlsOf(hosts)]);
    const maxPages = this.#drawLimit();
    const order = this.#drawOrder();
    const process = this.#world.start({
      kind: "list",
      settings,
      skewMs: 0,
      job: this.exits.watch((resources, bus, signal) =>
        createAgentOn(resources, bus).run({
          list: { file: list.file },
          signal,
          ...order,
          ...(maxPages === null ? {} : { maxPages }),
        }),
      ),
    });
    this.#asks.add({
      what: `${process.name} buys list ${list.index}`,
      file: list.file,
      kind: "list",
      settings,
      urls: new Set(list.urls),
      hosts: new Set(),
      maxPages,
      process: process.name,
    });
  }

  /** A plan is made, also over the file of an earlier one, or applied, also by two at once. */
  #plan(): void {
    const random = this.#random;
    const settings = random.pick(this.#meeting.configurations);
    const file = random.pick(this.#plans.files(settings));
    if (!this.#plans.has(file) || random.chance(0.2)) {
      const making = { settings, hosts: this.#drawHosts(settings), skewMs: random.pick(this.#meeting.skews) };
      this.#whenEnded(this.#plans.make(file, making), () => this.#apply(file, settings));
      return;
    }
    for (let count = random.pick([1, 2, 3]); count > 0; count -= 1) {
      this.#apply(file, settings);
    }
  }

  /** Most often the same plan is applied once more when that has ended. */
  #apply(file: string, settings: Settings): void {
    if (!this.#plans.has(file) || this.#world.evidence.faultsAreOver) {
      return;
    }
    const process = this.#plans.apply(file, settings);
    this.#asks.add({
      what: `${process.name} buys from a plan`,
      kind: "plan",
      settings,
      urls: this.#urlsOf(settings.sites.map(({ host }) => host)),
      hosts: new Set(),
      maxPages: null,
      process: process.name,
    });
    this.#whenEnded(process, () => this.#apply(file, settings));
  }

  /** Somebody who waits for it does something then, unless it was killed. */
  #whenEnded(process: SimulatedProcess, act: () => void): void {
    const { scheduler } = this.#world;
    const look = () => {
      if (process.hasEnded) {
        act();
      } else if (process.isAlive) {
        scheduler.schedule(SECOND_MS, null, look);
      }
    };
    if (this.#choices.chance(0.7)) {
      scheduler.schedule(SECOND_MS, null, look);
    }
  }

  /** Somebody asks the service that works now for a walk. */
  askService(): void {
    const [settings] = this.#meeting.configurations;
    const hosts = this.#drawHosts(settings);
    const maxPages = this.#drawLimit();
    const ask = this.#asks.add({
      what: `somebody asks the service to walk ${hosts.join(" and ")}`,
      kind: "walk",
      settings,
      urls: this.#urlsOf(hosts),
      hosts: new Set(hosts),
      maxPages,
      process: null,
    });
    void this.#post("/api/v1/runs", { hosts, ...(maxPages === null ? {} : { maxPages }) }).then((answer) => {
      if (answer?.status === undefined && answer?.runId !== undefined) {
        ask.runs.push(answer.runId);
      }
    });
  }

  #resume(): void {
    const stopped = this.#asks.all.filter(
      (ask) => ask.windows.at(-1)?.to !== null && this.#stateOf(ask) === "interrupted",
    );
    if (stopped.length === 0) {
      return;
    }
    const ask = this.#random.pick(stopped);
    const [runId] = ask.runs as [string];
    const [first] = this.#meeting.configurations;
    this.#asks.reopen(ask, null);
    if (this.service !== null && ask.settings === first && this.#random.chance(0.5)) {
      void this.#post(`/api/v1/runs/${runId}/resume`, {});
      return;
    }
    this.#world.start({
      kind: "resume",
      settings: ask.settings,
      skewMs: 0,
      job: this.exits.watch((resources, bus, signal) => createAgentOn(resources, bus).run({ resume: runId, signal })),
    });
  }

  #tell(ask: Ask, act: "stop" | "cancel"): void {
    const [runId] = ask.runs as [string];
    const { service } = this;
    this.#world.note(() => `somebody asks the service to ${act} ${runId}`);
    if (service === null) {
      return;
    }
    const { isStopUnsure } = ask;
    ask.isStopUnsure = true;
    void this.#post(`/api/v1/runs/${runId}/${act}`).then((answer) => {
      ask.isStopUnsure = isStopUnsure || answer?.detail?.includes(TOLD_TO_STOP) === true;
      // A service that does not listen yet was told nothing.
      const isTold = answer !== null && answer.status === undefined;
      if (isTold || answer?.detail?.includes(STOPPED_ALL_THE_SAME) === true) {
        void this.#stops.when(ask, service, () => this.#stateOf(ask) !== "running");
      }
    });
  }

  async #post(url: string, payload: object = {}): Promise<{ runId?: string; status?: number; detail?: string } | null> {
    const app = this.listening?.app ?? null;
    const { service } = this;
    if (app === null || service === null) {
      return null;
    }
    const asked = { url, process: service };
    this.#unanswered.add(asked);
    const answer = await app.inject({
      method: "POST",
      url,
      payload,
      headers: { authorization: `Bearer ${SERVE_TOKEN}` },
    });
    this.#unanswered.delete(asked);
    this.#world.note(() => `POST ${url}: ${answer.statusCode} ${answer.body.slice(0, 200)}`);
    return answer.json();
  }

  #isAtWork(ask: Ask): boolean {
    return ask.runs.length > 0 && ask.kind !== "fetch" && this.#stateOf(ask) === "running";
  }

  #stateOf(ask: Ask): string | undefined {
    this.#asks.learn();
    return this.#world.db
      .prepare<[string], string>("SELECT state FROM run WHERE name = ?")
      .pluck()
      .get(ask.runs[0] ?? "");
  }

  #drawHosts({ sites }: Settings): string[] {
    const hosts = this.#random.shuffle(sites.map(({ host }) => host));
    return hosts.slice(0, this.#random.pick([1, 1, 2, hosts.length]));
  }

  #drawOrder(): { readonly order?: Settings["order"] } {
    return this.#choices.chance(0.4) ? { order: drawOrder(this.#choices) } : {};
  }

  #drawLimit(): number | null {
    return this.#random.chance(0.6) ? this.#random.int(1, 5) : null;
  }

  /** A service of another configuration may go on with it, and decides by its own: what that one has, `bought-within-configuration` says. */
  #urlsOf(hosts: readonly string[]): ReadonlySet<string> {
    const { sites } = this.#meeting.scenario;
    return new Set(
      sites.filter(({ host }) => hosts.includes(host)).flatMap(({ pages }) => pages.map(({ url }) => url)),
    );
  }
}

function toSpend(pages: number): string {
  return `${(pages / 100).toFixed(2)} USD`;
}
