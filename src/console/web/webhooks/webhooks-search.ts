import type { SearchText } from '../lists/search-text.js';
import { textIn } from '../lists/search-text.js';

/** What can become of a delivery, by the word that the address has. */
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

/** The state of the deliveries of a webhook, all of which the address holds. */
export interface DeliveriesSearch {
  status?: DeliveryStateWord;
  /** Cursor of the page: what comes after it. */
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
