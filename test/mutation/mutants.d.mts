export interface Mutant {
  /** What is broken, in words. */
  readonly name: string;
  /** The promise of the design that it breaks. */
  readonly promise: number;
  /** The test file that has to notice. Only this one is asked. Without it, the suites of run.mjs are asked in their order. */
  readonly suite?: string;
  readonly file: string;
  /** Stands exactly once in the file. */
  readonly find: string;
  readonly replace: string;
}

export declare const MUTANTS: readonly Mutant[];
