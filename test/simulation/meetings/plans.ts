/** Saved plans of a meeting: who makes them, who applies them, and what was bought from each. */
import { createAgentOn } from "../../../src/agent/create-agent.ts";
import type { Violation } from "../checks/evidence.ts";
import type { SimulatedProcess } from "../process.ts";
import type { Settings } from "../scenario.ts";
import type { World } from "../world.ts";

interface Making {
  readonly settings: Settings;
  readonly hosts: readonly string[];
  readonly skewMs: number;
}

export class Plans {
  readonly #world: World;
  readonly #made = new Set<string>();
  /** The pages of each plan that was made, by the instant that it gives itself. */
  readonly pages = new Map<number, ReadonlySet<string>>();

  constructor(world: World) {
    this.#world = world;
  }

  /** Two that each configuration writes its plans to: one is often written over. */
  files({ sites }: Settings): readonly string[] {
    return [0, 1].map((index) => `${this.#world.ledgerPath}-plan-${sites.length}-${index}.plan`);
  }

  has(file: string): boolean {
    return this.#made.has(file);
  }

  make(file: string, { settings, hosts, skewMs }: Making): SimulatedProcess {
    return this.#world.start({
      kind: "plan",
      settings,
      skewMs,
      job: async (resources, bus, signal) => {
        const pages = new Set<string>();
        const onPage = ({ url }: { readonly url: string }) => void pages.add(url);
        const report = await createAgentOn(resources, bus).plan({ hosts, out: file, expires: "7d", onPage, signal });
        this.#made.add(file);
        const createdAt = report.file === null ? Number.NaN : Date.parse(report.file.createdAt);
        this.#world.note(() => `a plan of ${pages.size} pages was made at ${report.file?.createdAt}: ${file}`);
        // Two plans of one instant cannot be told apart here.
        this.pages.set(createdAt, new Set([...(this.pages.get(createdAt) ?? []), ...pages]));
      },
    });
  }

  apply(file: string, settings: Settings): SimulatedProcess {
    return this.#world.start({
      kind: "apply",
      settings,
      skewMs: 0,
      job: (resources, bus, signal) => createAgentOn(resources, bus).run({ plan: file, signal }),
    });
  }
}

/** A plan buys each of its pages once, however often and by however many it is applied, and no other page. */
export function judgePlans({ db, gateway, startings, lost }: World, { pages }: Plans): Violation | null {
  const select = db.prepare<[number], { digest: string; plannedAt: number }>(
    `SELECT hex(l.plan_digest) AS digest, l.planned_at AS plannedAt FROM purchase p JOIN run_list l ON l.run_id = p.run_id
     WHERE p.id = ? AND l.source = 'plan'`,
  );
  const bought = new Set<string>();
  for (const { url, token } of gateway.account.charges.filter((charge) => !lost.has(charge.token))) {
    const plan = select.get(startings.get(token)?.purchaseId ?? 0);
    if (plan === undefined) {
      continue;
    }
    const { digest, plannedAt } = plan;
    const which = `the plan of ${new Date(plannedAt).toISOString()}`;
    if (bought.has(`${digest} ${url}`)) {
      return { promise: 3, rule: "plan-buys-once", detail: `${url} was charged twice for ${which}` };
    }
    bought.add(`${digest} ${url}`);
    if (pages.get(plannedAt)?.has(url) === false) {
      return { promise: 2, rule: "plan-names-its-pages", detail: `${url} was charged for ${which}, which lacks it` };
    }
  }
  return null;
}
