/** What `fillManyRuns` writes. */
export interface ManyRuns {
  readonly pages: number;
  readonly runs: number;
  readonly days: number;
  /** The instant of the last run, epoch ms. */
  readonly until: number;
}

export function hostOf(site: number): string;

/** @param load imports a file of the build or of the sources, by its path below `src`, without its ending */
export function fillManyRuns(load: (file: string) => Promise<unknown>, path: string, size: ManyRuns): Promise<void>;
