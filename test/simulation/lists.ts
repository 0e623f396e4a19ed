/**
 * The list of a world: its pages with caps, values and keys, and lines that name no page. It is read slowly, so that a process may die between
 * two reads, and given again with each resume. At the end it was read to its last line, and nothing was bought beside it or above its caps.
 */
import type { RunCall } from "../../src/agent/calls/buying-calls.ts";
import type { OpenableList } from "../../src/agent/lists/list-input.ts";
import { parseLine } from "../../src/list/parse-line.ts";
import type { Clock } from "../../src/time/clock.ts";
import type { Cap, Violation } from "./checks/evidence.ts";
import { createRandom, type Random } from "./random.ts";
import type { Scenario } from "./scenario.ts";
import type { World } from "./world.ts";

export interface WorldList {
  readonly random: Random;
  /** How often a list run is begun in a round. */
  readonly chance: number;
  readonly lines: readonly string[];
  /** The listed pages; null: no cap. */
  readonly caps: ReadonlyMap<string, Cap | null>;
  /** Null: a program's own list, which has to be given again. */
  readonly path: string | null;
  /** How long a line takes to come. */
  readonly lineMs: number;
}

const BAD_LINES = ["{", "[1]", "", "# a remark", '{"url": 1}', "https://elsewhere.example/1", "no address"];

/** Has a stream of its own. Half of the worlds have no list. */
export function drawList({ seed, sites }: Scenario): WorldList | null {
  const random = createRandom(seed, "list");
  if (random.chance(0.5)) {
    return null;
  }
  const caps = new Map<string, Cap | null>();
  const lines: string[] = [];
  for (const { url } of sites.flatMap(({ pages }) => pages)) {
    if (random.chance(0.7)) {
      const cap = random.chance(0.5) ? { micros: random.int(0, 45) * 1_000, currency: "USD" } : null;
      caps.set(url, cap);
      lines.push(drawLine(random, url, cap), ...(random.chance(0.2) ? [random.pick(BAD_LINES)] : []));
    }
  }
  return {
    random,
    chance: random.pick([0.3, 0.7]),
    lines,
    caps,
    path: random.chance(0.6) ? "/lists/pages.jsonl" : null,
    lineMs: random.pick([0, 20, 400]),
  };
}

function drawLine(random: Random, url: string, maxPrice: Cap | null): string {
  const value = random.chance(0.5) ? random.pick([0, 0.1, 2, 50]) : undefined;
  const key = random.chance(0.5) ? `key of ${url}` : undefined;
  return maxPrice === null && value === undefined && key === undefined
    ? url
    : JSON.stringify({ url, ...(maxPrice === null ? {} : { maxPrice }), value, key });
}

/** The same list each time that it is opened. */
export function openList({ lines, path, lineMs }: WorldList, clock: Clock): OpenableList {
  return {
    source: "list",
    path,
    open: async function* open() {
      for (const text of lines) {
        if (lineMs > 0) {
          await clock.sleep(lineMs);
        }
        yield { text, parsed: parseLine(text) };
      }
    },
  };
}

const UNFINISHED = `
  SELECT r.name, EXISTS (SELECT 1 FROM run_list l WHERE l.run_id = r.id AND l.source = 'list') AS hasList
  FROM run r WHERE r.kind <> 'planning' AND r.key IS NULL AND r.state IN ('running', 'interrupted', 'failed') AND r.taken_over_by IS NULL`;

interface UnfinishedRow {
  readonly name: string;
  readonly hasList: number;
}

/** A person who resumes the newest run gives its list again, if it has one. */
export function withItsList({ db, list, evidence }: World, call: RunCall, clock: Clock): RunCall {
  if (list === null || call.resume !== "newest") {
    return call;
  }
  const newest = db.prepare<[], UnfinishedRow>(`${UNFINISHED} ORDER BY r.id DESC LIMIT 1`).get();
  if (newest === undefined || newest.hasList === 0) {
    return newest === undefined ? call : { ...call, resume: newest.name };
  }
  const forgets = list.path === null && !evidence.faultsAreOver && list.random.chance(0.2);
  return { ...call, resume: newest.name, ...(forgets ? {} : { list: openList(list, clock) }) };
}

/** The runs with a list that can still be resumed. */
export function listUnfinishedLists({ db }: Pick<World, "db">): readonly string[] {
  return db
    .prepare<[], UnfinishedRow>(`${UNFINISHED} ORDER BY r.id`)
    .all()
    .flatMap(({ name, hasList }) => (hasList === 1 ? [name] : []));
}

interface BoughtRow {
  readonly run: string;
  readonly url: string;
  readonly micros: number;
  readonly currency: string | null;
}

export function judgeList({ db, list }: World): Violation | null {
  const broken = (rule: string, detail: string) => ({ promise: 2, rule, detail }) as const;
  const bought = db
    .prepare<[], BoughtRow>(
      `SELECT r.name AS run, g.url, p.quoted_micros + p.fee_micros + p.use_reserve_micros AS micros, p.currency
       FROM purchase p JOIN run r ON r.id = p.run_id JOIN run_list l ON l.run_id = r.id JOIN page g ON g.id = p.page_id
       WHERE l.source = 'list'`,
    )
    .all();
  for (const { run, url, micros, currency } of bought) {
    const cap = list?.caps.get(url);
    if (cap === undefined) {
      return broken("buys-what-is-listed", `${run} bought ${url}, which its list does not name`);
    }
    if (cap !== null && (micros > cap.micros || (micros > 0 && currency !== cap.currency))) {
      return broken("cap-of-a-line", `${run} set ${micros} ${currency} aside for ${url}, the line says ${cap.micros}`);
    }
  }
  const unread = db
    .prepare<[number], string>(
      `SELECT format('%s has read %d lines of its list', r.name, l.lines_read) FROM run_list l JOIN run r ON r.id = l.run_id
       WHERE l.source = 'list' AND r.state = 'completed' AND (l.is_read = 0 OR l.lines_read <> ?)`,
    )
    .pluck()
    .get(list?.lines.length ?? 0);
  return unread === undefined ? null : broken("list-is-read", unread);
}
