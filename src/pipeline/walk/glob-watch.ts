/**
 * Finds the globs of a configuration that match no page: `include` and `exclude` of a site, and `urls` of a rule. Such a glob is most often
 * misspelled, and then pages are bought that it should keep out, or the other way round.
 *
 * Only a walk that reads a whole catalog shows that a glob matches nothing. So nothing is said about a site whose walk was resumed,
 * incremental, or cut, nor about a rule of a policy while one of its sites was not walked as a whole. The memory is that of the globs.
 */
import { createGlobUse, type GlobUse } from "../../catalog/glob-use.ts";
import { pathOfUrl } from "../../catalog/url-path.ts";
import type { WalkState } from "../../catalog/walk-state.ts";
import type { CatalogRecorded, WalkedEntry } from "../../ledger/frontier-ledger.ts";
import type { Policy } from "../../policy/rule.ts";

/** Globs of one kind that one warning names. */
const MAX_NAMED = 10;

/** What a configured site says with globs. */
export interface GlobbedSite {
  readonly host: string;
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  readonly policy: Policy;
}

export interface WalkedPage {
  readonly host: string;
  /** Before this catalog page. */
  readonly walk: WalkState;
  readonly entries: readonly WalkedEntry[];
  readonly recorded: CatalogRecorded;
}

export interface GlobWatch {
  /** Called for each catalog page that was recorded. */
  walked(page: WalkedPage): void;
  /** One sentence for each list of globs of which some matched nothing. */
  warnings(): readonly string[];
}

interface WatchedWalk {
  readonly include: GlobUse;
  readonly exclude: GlobUse;
  pages: number;
  /** Pages that `include` and `exclude` left for the rules. */
  left: number;
  isWhole: boolean;
}

/** @param sites every configured site, also those that are not walked: a rule may be there for them */
export function createGlobWatch(sites: readonly GlobbedSite[]): GlobWatch {
  const byHost = new Map(sites.map((site) => [site.host, site]));
  const walks = new Map<string, WatchedWalk>();
  const rules = new Map<Policy, readonly GlobUse[]>();

  function rulesOf(policy: Policy): readonly GlobUse[] {
    let uses = rules.get(policy);
    if (uses === undefined) {
      uses = policy.rules.map(({ conditions }) => createGlobUse(conditions.urls ?? []));
      rules.set(policy, uses);
    }
    return uses;
  }

  function begin({ host, include, exclude }: GlobbedSite): void {
    walks.set(host, {
      include: createGlobUse(include),
      exclude: createGlobUse(exclude),
      pages: 0,
      left: 0,
      isWhole: false,
    });
  }

  return {
    walked({ host, walk, entries, recorded }) {
      const site = byHost.get(host);
      if (site !== undefined && walk.pagesRead === 0 && walk.stopBelowAt === null) {
        begin(site);
      }
      const watched = walks.get(host);
      if (site === undefined || watched === undefined) {
        return;
      }
      for (const { url, excluded } of entries) {
        const path = pathOfUrl(url);
        watched.include.note(path);
        watched.exclude.note(path);
        for (const rule of excluded ? [] : rulesOf(site.policy)) {
          rule.note(path);
        }
      }
      watched.pages += recorded.seen;
      watched.left += recorded.seen - recorded.excluded;
      watched.isWhole = recorded.walkEnded && !recorded.looped && !recorded.idle;
    },
    warnings() {
      const whole = [...walks].filter(([, { isWhole, pages }]) => isWhole && pages > 0);
      return [
        ...whole.flatMap(([host, watched]) => warnOfSite(host, watched)),
        ...[...rules].flatMap(([policy, uses]) => warnOfRules(policy, uses, sites, walks)),
      ];
    },
  };
}

function warnOfSite(host: string, { include, exclude, pages }: WatchedWalk): string[] {
  return [
    ...warnOf(`include ${name(include)} of ${host}`, include, countPages(pages)),
    ...warnOf(`exclude ${name(exclude)} of ${host}`, exclude, countPages(pages)),
  ];
}

function warnOfRules(
  policy: Policy,
  uses: readonly GlobUse[],
  sites: readonly GlobbedSite[],
  walks: ReadonlyMap<string, WatchedWalk>,
): string[] {
  const own = sites.filter((site) => site.policy === policy).map(({ host }) => walks.get(host));
  const left = own.reduce((sum, walk) => sum + (walk?.left ?? 0), 0);
  if (left === 0 || !own.every((walk) => walk?.isWhole === true)) {
    return [];
  }
  return uses.flatMap((use, index) =>
    warnOf(
      `urls ${name(use)} of rule ${index + 1} of policy ${policy.name}`,
      use,
      `${countPages(left)} that are not excluded`,
    ),
  );
}

function warnOf(subject: string, use: GlobUse, pages: string): string[] {
  return use.unused().length === 0 ? [] : [`${subject} matched none of ${pages}`];
}

function name(use: GlobUse): string {
  const globs = use.unused();
  const more = globs.length > MAX_NAMED ? ` and ${globs.length - MAX_NAMED} more` : "";
  return globs.slice(0, MAX_NAMED).join(", ") + more;
}

/** `4,210 pages` */
function countPages(count: number): string {
  return `${count.toLocaleString("en-US")} ${count === 1 ? "page" : "pages"}`;
}
