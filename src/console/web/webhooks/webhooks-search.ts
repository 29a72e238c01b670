import type { SearchText } from '../lists/search-text.js';
import { textIn } from '../lists/search-text.js';

/** The states of deliveries, by their value in the URL. */
export const deliveryStates = {
  waiting: 'WAITING',
  delivered: 'DELIVERED',
  failed: 'FAILED',
  skipped: 'SKIPPED',
} as const;

export type DeliveryStateWord = keyof typeof deliveryStates;

export const deliveryStateWords = [
  'delivered',
  'waiting',
  'failed',
  'skipped',
] as const satisfies readonly DeliveryStateWord[];

/** The state of the deliveries in the URL. */
export interface DeliveriesSearch {
  status?: DeliveryStateWord;
  /** Cursor of the page. */
  after?: string;
  /** Id of the delivery that is open. */
  open?: string;
}

export function deliveriesSearch(search: SearchText): DeliveriesSearch {
  const status = deliveryStateWords.find((word) => word === textIn(search, 'status'));
  const [after, open] = [textIn(search, 'after'), textIn(search, 'open')];
  return {
    ...(status === undefined ? {} : { status }),
    ...(after === undefined ? {} : { after }),
    ...(open === undefined ? {} : { open }),
  };
}
