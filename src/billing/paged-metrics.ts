import type { UsageContext } from '../metering/usage-memory.js';
import type { AskedMetrics, MetricsOrder, MetricsPaging, MetricsParameters } from './metrics-query.js';
import { getMetrics } from './metrics.js';
import type { MetricsPage } from './read-metrics.js';

/** The requested page, and the transport's name of its cursor. */
export type RequestedPage = Omit<MetricsPaging, 'order'> & { cursorName: string };

/** A query for metrics. Each page is read on demand and once, and all pages use the snapshot of the first. */
export class PagedMetrics {
  private readonly pages = new Map<string, Promise<MetricsPage>>();

  constructor(
    private readonly ctx: UsageContext,
    private readonly accountId: string,
    private readonly parameters: MetricsParameters,
    private readonly order: MetricsOrder,
  ) {}

  page(requested: RequestedPage): Promise<MetricsPage> {
    const name = JSON.stringify(requested);
    const [earlier] = this.pages.values();
    const page = this.pages.get(name) ?? this.read(requested, earlier);
    this.pages.set(name, page);
    return page;
  }

  private async read(
    { cursorName, ...paging }: RequestedPage,
    earlier: Promise<MetricsPage> | undefined,
  ): Promise<MetricsPage> {
    const request: AskedMetrics = { parameters: this.parameters, paging: { ...paging, order: this.order }, cursorName };
    const snapshot = (await earlier)?.snapshot;
    return getMetrics(this.ctx, this.accountId, () => request, snapshot);
  }

  /**
   * Returns a page for its sums, which are the same on all pages. Waits until all fields have started, to reuse a page
   * that is read anyway.
   */
  async sums(): Promise<MetricsPage> {
    await Promise.resolve();
    const [first] = this.pages.values();
    return first ?? this.page({ direction: 'forward', limit: 1, cursor: undefined, cursorName: 'after' });
  }
}
