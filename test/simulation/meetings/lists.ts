/** The list files of a meeting. */
import { writeFileSync } from "node:fs";
import type { Random } from "../random.ts";
import type { World } from "../world.ts";
import type { Asks } from "./asks.ts";

interface ListFile {
  readonly index: number;
  readonly file: string;
  urls: readonly string[];
}

export class Lists {
  readonly #world: World;
  readonly #asks: Asks;
  readonly #random: Random;
  readonly #lists: ListFile[] = [];

  constructor(world: World, asks: Asks, random: Random) {
    this.#world = world;
    this.#asks = asks;
    this.#random = random;
  }

  /** A file that was given before is given again as often as not; now and then it has changed since. */
  give(pages: readonly string[]): ListFile {
    const random = this.#random;
    const index = this.#lists.length;
    const known = random.chance(0.5) ? this.#lists.at(-1) : undefined;
    const list = known ?? { index, file: `${this.#world.ledgerPath}-list-${index}.txt`, urls: [] };
    if (known === undefined || random.chance(0.2)) {
      const { urls: before } = list;
      list.urls = random.shuffle(pages).slice(0, random.int(1, 15));
      writeFileSync(list.file, `${list.urls.join("\n")}\n`);
      this.#change(list, before);
    }
    if (known === undefined) {
      this.#lists.push(list);
    }
    return list;
  }

  /** Whoever has not read the file yet, or goes on with it, finds the new lines. Whoever has read it need buy neither the old nor the new ones. */
  #change({ file, urls }: ListFile, before: readonly string[]): void {
    for (const ask of this.#asks.all.filter((one) => one.file === file)) {
      const isAtWork = this.#world.alive().some(({ name }) => name === ask.process);
      ask.urls = isAtWork ? new Set([...ask.urls, ...urls]) : ask.urls;
      ask.gone = new Set([...ask.gone, ...before, ...(isAtWork ? urls : [])]);
    }
  }
}
