// The part of a long list that is looked at. Pages come and go as it scrolls; of those that went only the cursors
// stay, so that a list of a hundred thousand rows takes no more memory at its end than at its start.

export interface PageRequest {
  first?: number;
  after?: string;
  last?: number;
  before?: string;
  /** Cursors alone, to get past what nobody looks at. */
  isSkipped: boolean;
}

export interface Page<Row> {
  rows: readonly Row[];
  startCursor: string | null;
  endCursor: string | null;
  hasNextPage: boolean;
  /** Rows of the list as it is asked for; undefined when that is not known. */
  count: number | undefined;
}

export type FetchPage<Row> = (request: PageRequest) => Promise<Page<Row>>;

export const pageSize = 100;
/** Pages around what is looked at that are kept. */
const pagesKept = 6;
/** Pages that one request may skip. */
const skippedMax = 2;

export interface WindowState {
  /** How many rows can be scrolled to, as far as that is known. */
  length: number;
  /** How many rows there are now, with those that wait to be shown. */
  count: number;
  isLengthExact: boolean;
  /** Rows that came since: they wait to be asked for. */
  newRows: number;
  /** Rows that went since, of those that are counted. */
  goneRows: number;
  hasLoaded: boolean;
  error: unknown;
}

export class PageWindow<Row extends { id: string }> {
  readonly #fetchPage: FetchPage<Row>;
  readonly #onChange: () => void;
  readonly #pages = new Map<number, readonly Row[]>();
  readonly #loading = new Set<number>();
  /** Cursor before the first and after the last row of a page. */
  readonly #starts = new Map<number, string>();
  readonly #ends = new Map<number, string>();
  #wanted = { from: 0, to: 0 };
  #state: WindowState = {
    length: 0,
    count: 0,
    isLengthExact: false,
    newRows: 0,
    goneRows: 0,
    hasLoaded: false,
    error: undefined,
  };
  #isClosed = false;

  constructor(fetchPage: FetchPage<Row>, onChange: () => void) {
    this.#fetchPage = fetchPage;
    this.#onChange = onChange;
  }

  get state(): WindowState {
    return this.#state;
  }

  rowAt(index: number): Row | undefined {
    return this.#pages.get(Math.floor(index / pageSize))?.[index % pageSize];
  }

  /** How many rows are held right now. */
  get held(): number {
    return [...this.#pages.values()].reduce((sum, rows) => sum + rows.length, 0);
  }

  close(): void {
    this.#isClosed = true;
  }

  /** Says which rows are looked at: they are loaded if they are not there, and what is far from them is let go. */
  want(firstRow: number, lastRow: number): void {
    this.#wanted = { from: Math.floor(firstRow / pageSize), to: Math.floor(Math.max(lastRow, firstRow) / pageSize) };
    for (const page of this.#wantedPages) void this.#load(page);
  }

  /** Asks again for what is looked at, or failed. Rows stay where they are; what is new among them is counted. */
  async refresh(): Promise<void> {
    await Promise.all(
      this.#wantedPages.map((page) => (this.#pages.has(page) ? this.#refreshPage(page) : this.#load(page))),
    );
  }

  get #wantedPages(): number[] {
    const { from, to } = this.#wanted;
    return Array.from({ length: to - from + 1 }, (_none, index) => from + index);
  }

  async #refreshPage(page: number): Promise<void> {
    const request = this.#requestFor(page);
    const known = this.#pages.get(page);
    if (request === undefined || known === undefined) return;
    const answer = await this.#fetchPage(request).catch(() => undefined);
    if (answer === undefined || this.#isClosed) return;
    const fresh = new Map(answer.rows.map((row) => [row.id, row]));
    this.#pages.set(
      page,
      known.map((row) => fresh.get(row.id) ?? row),
    );
    const ids = new Set(known.map(({ id }) => id));
    const isHead = page === 0;
    const count = answer.count ?? this.#state.count;
    const newRows = isHead ? answer.rows.filter(({ id }) => !ids.has(id)).length : this.#state.newRows;
    // A page that is not full yet takes what comes at its end: that pushes nothing away.
    if (
      isHead &&
      known.length < pageSize &&
      newRows > 0 &&
      known.every((row, index) => answer.rows[index]?.id === row.id)
    ) {
      this.#pages.set(page, answer.rows);
      this.#set({ length: answer.count ?? answer.rows.length, count: answer.count ?? answer.rows.length });
    } else this.#set({ count, newRows, ...(isHead ? { goneRows: this.#goneSince(answer.count, newRows) } : {}) });
  }

  #goneSince(count: number | undefined, newRows: number): number {
    return count === undefined ? 0 : Math.max(0, this.#state.length + newRows - count);
  }

  async #load(page: number): Promise<void> {
    if (this.#pages.has(page) || this.#loading.has(page)) return;
    this.#loading.add(page);
    try {
      let request = this.#requestFor(page);
      while (request === undefined) {
        await this.#skipTowards(page);
        if (this.#isClosed || !this.#isNear(page, 1)) return;
        request = this.#requestFor(page);
      }
      const answer = await this.#fetchPage(request);
      if (this.#isClosed) return;
      this.#keep(page, answer);
    } catch (error) {
      if (!this.#isClosed) this.#set({ error });
    } finally {
      this.#loading.delete(page);
    }
  }

  #keep(page: number, answer: Page<Row>): void {
    this.#pages.set(page, answer.rows);
    if (answer.startCursor !== null) this.#starts.set(page, answer.startCursor);
    if (answer.endCursor !== null) this.#ends.set(page, answer.endCursor);
    for (const other of this.#pages.keys()) if (!this.#isNear(other, pagesKept / 2)) this.#pages.delete(other);
    const seen = page * pageSize + answer.rows.length;
    const guess = Math.max(
      seen + (answer.hasNextPage ? pageSize : 0),
      this.#state.isLengthExact ? 0 : this.#state.length,
    );
    const isEnd = !answer.hasNextPage && (answer.rows.length > 0 || page === 0);
    const length = answer.count ?? (isEnd ? seen : guess);
    // Rows that came since then do not make the list longer than what can be scrolled to.
    const isFirst = !this.#state.hasLoaded;
    const scrolled = isFirst || !this.#state.isLengthExact ? length : this.#state.length;
    this.#set({
      length: scrolled,
      // Later only a refresh counts again, as it does for all counts of the page.
      count: answer.count === undefined ? scrolled : isFirst ? answer.count : this.#state.count,
      isLengthExact: this.#state.isLengthExact || answer.count !== undefined || isEnd,
      hasLoaded: true,
      error: undefined,
    });
  }

  /** How to ask for a page; undefined when it has no cursor next to it yet. */
  #requestFor(page: number): PageRequest | undefined {
    const after = this.#ends.get(page - 1);
    if (page === 0) return { first: pageSize, isSkipped: false };
    if (after !== undefined) return { first: pageSize, after, isSkipped: false };
    const last = this.#lastPage;
    if (page === last) return { last: this.#state.length - last * pageSize, isSkipped: false };
    const before = this.#starts.get(page + 1);
    return before === undefined ? undefined : { last: pageSize, before, isSkipped: false };
  }

  /** The page at the end; undefined as long as it is not known where that is. */
  get #lastPage(): number | undefined {
    const { length, isLengthExact } = this.#state;
    return isLengthExact && length > 0 ? Math.floor((length - 1) / pageSize) : undefined;
  }

  /** One request without rows towards a page, from the nearest cursor on either side. */
  async #skipTowards(page: number): Promise<void> {
    const below = Math.max(-1, ...[...this.#ends.keys()].filter((known) => known < page));
    const last = this.#lastPage;
    const above = Math.min(
      last === undefined ? Infinity : last + 1,
      ...[...this.#starts.keys()].filter((known) => known > page),
    );
    if (page - below <= above - page || above === Infinity) {
      const pages = Math.min(page - 1 - below, skippedMax);
      const after = this.#ends.get(below);
      const answer = await this.#fetchPage({
        first: pages * pageSize,
        ...(after === undefined ? {} : { after }),
        isSkipped: true,
      });
      if (answer.endCursor === null) throw new Error('The list became shorter.');
      this.#ends.set(below + pages, answer.endCursor);
      return;
    }
    const before = this.#starts.get(above);
    const pages = Math.min(above - page - 1, skippedMax);
    const tail =
      last !== undefined && above === last + 1
        ? this.#state.length - last * pageSize + (pages - 1) * pageSize
        : pages * pageSize;
    const answer = await this.#fetchPage({ last: tail, ...(before === undefined ? {} : { before }), isSkipped: true });
    if (answer.startCursor === null) throw new Error('The list became shorter.');
    this.#starts.set(above - pages, answer.startCursor);
  }

  #isNear(page: number, pages: number): boolean {
    return page >= this.#wanted.from - pages && page <= this.#wanted.to + pages;
  }

  #set(change: Partial<WindowState>): void {
    this.#state = { ...this.#state, ...change };
    this.#onChange();
  }
}
