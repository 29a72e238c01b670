/** Runs one action for a key at a time, in the order in which they are given. */
export class Turns {
  readonly #latest = new Map<string, Promise<unknown>>();

  /** @returns the result of the action. It runs also if an earlier one has failed. */
  async run<Result>(key: string, act: () => Promise<Result>): Promise<Result> {
    const mine = (this.#latest.get(key) ?? Promise.resolve()).then(act, act);
    this.#latest.set(key, mine);
    try {
      return await mine;
    } finally {
      if (this.#latest.get(key) === mine) this.#latest.delete(key);
    }
  }
}
