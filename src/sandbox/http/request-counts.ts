/** How often each endpoint answered what. A connection that was cut or left hanging counts as `reset` or `timeout`. */
export class RequestCounts {
  readonly #counts = new Map<string, Map<number | string, number>>();

  count(endpoint: string, outcome: number | "reset" | "timeout"): void {
    let outcomes = this.#counts.get(endpoint);
    if (outcomes === undefined) {
      outcomes = new Map();
      this.#counts.set(endpoint, outcomes);
    }
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
  }

  toJson(): Record<string, Record<string, number>> {
    return Object.fromEntries(
      [...this.#counts].map(([endpoint, outcomes]) => [endpoint, Object.fromEntries(outcomes)] as const),
    );
  }
}
