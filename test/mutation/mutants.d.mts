export interface Mutant {
  /** What is broken, in words. */
  readonly name: string;
  /** The promise of the design that it breaks. */
  readonly promise: number;
  readonly file: string;
  /** Stands exactly once in the file. */
  readonly find: string;
  readonly replace: string;
}

export declare const MUTANTS: readonly Mutant[];
