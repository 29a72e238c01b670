import type { RequestContext } from '../../context.js';
import type { MetricsOrder, MetricsParameters, PagingNames } from './metrics-query.js';
import { getMetrics } from './metrics.js';
import type { MetricsPage } from './metrics.js';

/** What the arguments of entries are called. */
const entriesNames: PagingNames = { limit: 'first', cursor: 'after' };

/** One question about metrics. Its pages are read when they are asked for, each once, and all as of the first. */
export class MetricsQuestion {
  private readonly pages = new Map<string, Promise<MetricsPage>>();

  constructor(
    private readonly ctx: RequestContext,
    private readonly accountId: string,
    private readonly parameters: MetricsParameters,
    private readonly order: MetricsOrder,
  ) {}

  page(first: number, after: string | null | undefined): Promise<MetricsPage> {
    const name = `${first} ${after ?? ''}`;
    const [earlier] = this.pages.values();
    const page = this.pages.get(name) ?? this.read(first, after, earlier);
    this.pages.set(name, page);
    return page;
  }

  private async read(
    first: number,
    after: string | null | undefined,
    earlier: Promise<MetricsPage> | undefined,
  ): Promise<MetricsPage> {
    const parameters = { ...this.parameters, limit: String(first), cursor: after ?? undefined };
    const moment = (await earlier)?.moment;
    return getMetrics(this.ctx, this.accountId, () => parameters, this.order, moment, entriesNames);
  }

  /** Every page has the same sums: those of one that is read anyway, which is known once all fields have begun. */
  async sums(): Promise<MetricsPage> {
    await Promise.resolve();
    const [asked] = this.pages.values();
    return asked ?? this.page(1, undefined);
  }
}
