import { z } from 'zod';
import { commaList, httpAddress, wholeNumber } from './setting-forms.js';

/** How long changes are kept, and how others are told of them. */
export const changeSettings = {
  CHANGE_RETENTION_DAYS: wholeNumber(1, 36_500)
    .default(90)
    .describe('How long changes are kept in the history, in days. The events of what exists stay.'),
  WATCHERS_PER_ACCOUNT_MAX: wholeNumber(1, 1_000_000)
    .default(1000)
    .describe('Watches of changes that a process holds open at the same time for one account; more are answered 429.'),
  WATCH_HEARTBEAT_MS: wholeNumber(100, 50_000)
    .default(10_000)
    .describe('How often a watch of changes is sent a sign of life, in milliseconds: less than proxies wait.'),
  WATCH_BEHIND_MS_MAX: wholeNumber(100, 600_000)
    .default(15_000)
    .describe('How long a watch may be behind whose client does not read before it is ended, in milliseconds.'),
  WEBHOOK_HTTP: z
    .enum(['refused', 'allowed'])
    .default('refused')
    .describe('Whether webhooks may lead to plain http addresses; https is always allowed.'),
  WEBHOOK_ALLOWED_NETWORKS: commaList
    .pipe(z.array(z.union([z.cidrv4(), z.cidrv6()], 'must be networks such as 10.20.0.0/16, separated by commas')))
    .optional()
    .describe('Networks, separated by commas, that webhooks may lead to although they are not of the public Internet.'),
  WEBHOOK_PROXY: httpAddress
    .optional()
    .describe('HTTP proxy through which webhooks are sent (CONNECT); it may name a user and a password.'),
  WEBHOOK_DELIVERY_RETENTION_DAYS: wholeNumber(4, 3650)
    .default(30)
    .describe('How long deliveries of webhooks are listed, in days.'),
};
