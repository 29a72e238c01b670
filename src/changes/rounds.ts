/** Goes round among many, some at a time: everybody gets a turn once in so many steps, and never all at once. */
export class Rounds<Each> {
  private round: Iterator<Each>;

  /** @param all who take part; they may come and go. */
  constructor(
    private readonly all: ReadonlySet<Each>,
    private readonly steps: number,
  ) {
    this.round = all.values();
  }

  *step(): Generator<Each> {
    for (let left = Math.ceil(this.all.size / this.steps); left > 0; left--) {
      const next = this.round.next();
      if (next.done === true) {
        this.round = this.all.values();
        return;
      }
      yield next.value;
    }
  }
}
