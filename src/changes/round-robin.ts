/** Checks the members of a set round-robin: a part of them in each step, so that the load is spread evenly. */
export class RoundRobin<Each> {
  private round: Iterator<Each>;

  /** @param all the members; the set may change between steps. */
  constructor(
    private readonly all: ReadonlySet<Each>,
    private readonly steps: number,
  ) {
    this.round = all.values();
  }

  *step(): Generator<Each> {
    for (let remaining = Math.ceil(this.all.size / this.steps); remaining > 0; remaining--) {
      const next = this.round.next();
      if (next.done === true) {
        this.round = this.all.values();
        return;
      }
      yield next.value;
    }
  }
}
