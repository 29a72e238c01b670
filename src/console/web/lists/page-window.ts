// The visible part of a long list. Pages are loaded and dropped while scrolling. Only the cursors of dropped pages are kept, so
// that memory use does not grow with the position in the list.

export interface PageRequest {
  first?: number;
  after?: string;
  last?: number;
  before?: string;
  /** Whether to load only cursors, to skip pages that are not visible. */
  isSkipped: boolean;
}

export interface Page<Row> {
  rows: readonly Row[];
  startCursor: string | null;
  endCursor: string | null;
  hasNextPage: boolean;
  /** The number of matching rows; undefined if unknown. */
  count: number | undefined;
  /** The number of rows of the whole list, regardless of filters; undefined if unknown. */
  total?: number;
}

export type FetchPage<Row> = (request: PageRequest) => Promise<Page<Row>>;

export const pageSize = 100;
/** The number of pages to keep around the visible ones. */
const pagesKept = 6;
/** The maximum number of pages to skip with one request. */
const skippedMax = 2;

export interface WindowState {
  /** The number of rows to scroll through, as far as known. */
  length: number;
  /** The current number of rows, including new ones that are not shown yet. */
  count: number;
  /** The number of rows of the whole list, regardless of filters; undefined if unknown. */
  total: number | undefined;
  isLengthExact: boolean;
  /** The number of new rows that are not shown yet. */
  newRows: number;
  /** The number of rows that were deleted since. */
  goneRows: number;
  hasLoaded: boolean;
  /** Why a visible page could not be loaded or refreshed. */
  error: unknown;
}

export class PageWindow<Row extends { id: string }> {
  readonly #fetchPage: FetchPage<Row>;
  readonly #onChange: () => void;
  readonly #pages = new Map<number, readonly Row[]>();
  readonly #loading = new Set<number>();
  /** Why a wanted page could not be loaded or refreshed. */
  readonly #failures = new Map<number, unknown>();
  /** Cursor before the first and after the last row of a page. */
  readonly #starts = new Map<number, string>();
  readonly #ends = new Map<number, string>();
  #wanted = { from: 0, to: 0 };
  #state: WindowState = {
    length: 0,
    count: 0,
    total: undefined,
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

  /** The rows in memory. */
  get rows(): Row[] {
    return [...this.#pages.values()].flat();
  }

  close(): void {
    this.#isClosed = true;
  }

  /** Sets the visible rows: loads missing ones and drops distant pages. */
  want(firstRow: number, lastRow: number): void {
    this.#wanted = { from: Math.floor(firstRow / pageSize), to: Math.floor(Math.max(lastRow, firstRow) / pageSize) };
    const left = [...this.#failures.keys()].filter((page) => !this.#isNear(page, 0));
    for (const page of left) this.#failures.delete(page);
    if (left.length > 0) this.#set({});
    for (const page of this.#wantedPages) void this.#load(page);
  }

  /** Reloads the visible pages and failed ones. Rows keep their position; new rows are counted. */
  async refresh(): Promise<void> {
    await Promise.all(
      this.#wantedPages.map((page) =>
        this.#pages.has(page)
          ? this.#refreshPage(page).catch((error: unknown) => this.#fail(page, error))
          : this.#load(page),
      ),
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
    const answer = await this.#fetchPage(request);
    if (this.#isClosed) return;
    this.#failures.delete(page);
    const fresh = new Map(answer.rows.map((row) => [row.id, row]));
    this.#pages.set(
      page,
      known.map((row) => fresh.get(row.id) ?? row),
    );
    const ids = new Set(known.map(({ id }) => id));
    const isHead = page === 0;
    const count = answer.count ?? this.#state.count;
    // Deletions pull rows of the next page to the end of a full page. These are not new.
    const lastKnown = known.length < pageSize ? -1 : answer.rows.findLastIndex(({ id }) => ids.has(id));
    const candidates = lastKnown < 0 ? answer.rows : answer.rows.slice(0, lastKnown);
    const newRows = isHead ? candidates.filter(({ id }) => !ids.has(id)).length : this.#state.newRows;
    // A page that is not full takes new rows at its end, because that does not move other rows.
    if (
      isHead &&
      known.length < pageSize &&
      newRows > 0 &&
      known.every((row, index) => answer.rows[index]?.id === row.id)
    ) {
      this.#pages.set(page, answer.rows);
      const length = answer.count ?? answer.rows.length;
      this.#set({ length, count: length, total: answer.total ?? this.#state.total });
    } else
      this.#set({
        count,
        newRows,
        total: answer.total ?? this.#state.total,
        ...(isHead ? { goneRows: this.#goneSince(answer.count, newRows) } : {}),
      });
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
      this.#keep(page, request, answer);
    } catch (error) {
      this.#fail(page, error);
    } finally {
      this.#loading.delete(page);
    }
  }

  #fail(page: number, error: unknown): void {
    if (this.#isClosed || !this.#isNear(page, 0)) return;
    this.#failures.set(page, error);
    this.#set({});
  }

  #keep(page: number, request: PageRequest, answer: Page<Row>): void {
    this.#pages.set(page, answer.rows);
    this.#failures.delete(page);
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
    // New rows do not extend the list until they are shown, except those at its end, which do not move others.
    const isFirst = !this.#state.hasLoaded;
    const known = this.#state.length;
    const end = request.first === undefined ? known : answer.hasNextPage ? Math.max(known, seen + 1) : seen;
    const scrolled = isFirst || !this.#state.isLengthExact ? length : end;
    this.#set({
      length: scrolled,
      goneRows: Math.max(0, this.#state.goneRows - Math.max(0, known - scrolled)),
      // Later, only a refresh updates the count, together with all counts of the page.
      count: answer.count === undefined ? scrolled : isFirst ? answer.count : this.#state.count,
      total: isFirst ? answer.total : this.#state.total,
      isLengthExact: this.#state.isLengthExact || answer.count !== undefined || isEnd,
      hasLoaded: true,
    });
  }

  /** The request of a page; undefined if no adjacent cursor is known yet. */
  #requestFor(page: number): PageRequest | undefined {
    const after = this.#ends.get(page - 1);
    if (page === 0) return { first: pageSize, isSkipped: false };
    if (after !== undefined) return { first: pageSize, after, isSkipped: false };
    const last = this.#lastPage;
    if (page === last) return { last: this.#state.length - last * pageSize, isSkipped: false };
    const before = this.#starts.get(page + 1);
    return before === undefined ? undefined : { last: pageSize, before, isSkipped: false };
  }

  /** The last page; undefined while unknown. */
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

  #set(change: Partial<Omit<WindowState, 'error'>>): void {
    const [error] = this.#failures.values();
    this.#state = { ...this.#state, ...change, error };
    this.#onChange();
  }
}
