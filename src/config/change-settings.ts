import { z } from 'zod';
import { commaList, httpUrl, toggle, wholeNumber } from './setting-forms.js';

/** The change feed, subscriptions, webhooks and email. */
export const changeSettings = {
  CHANGE_RETENTION_DAYS: wholeNumber(1, 36_500)
    .default(90)
    .describe('Retention of the change log (days). The events of existing resources are kept longer.'),
  EXECUTION_RETENTION_DAYS: wholeNumber(1, 36_500)
    .default(90)
    .describe('Retention of executions of jobs that have ended (days). Then they are deleted, as the change log says.'),
  WATCHERS_PER_ACCOUNT_MAX: wholeNumber(1, 1_000_000)
    .default(1000)
    .describe('Maximum number of open subscriptions for each account and process. Above it, requests get 429.'),
  WATCH_HEARTBEAT_MS: wholeNumber(100, 50_000)
    .default(10_000)
    .describe('Interval between heartbeats on a subscription (ms). Set it below the idle timeout of your proxies.'),
  WATCH_BEHIND_MS_MAX: wholeNumber(100, 600_000)
    .default(15_000)
    .describe(
      'Maximum time that a subscription can lag because its client does not read (ms). Above it, the subscription ends.',
    ),
  WEBHOOK_HTTP: toggle.default('off').describe('Allow webhooks to `http://` URLs (`on` or `off`).'),
  WEBHOOK_ALLOWED_NETWORKS: commaList
    .pipe(z.array(z.union([z.cidrv4(), z.cidrv6()], 'must be networks such as 10.20.0.0/16, separated by commas')))
    .optional()
    .describe('Private networks that webhooks can reach, such as `10.20.0.0/16`, separated by commas.'),
  WEBHOOK_PROXY: httpUrl
    .optional()
    .describe('URL of an HTTP proxy for webhooks (`CONNECT`). It may contain a user name and a password.'),
  WEBHOOK_DELIVERY_RETENTION_DAYS: wholeNumber(4, 3650).default(30).describe('Retention of webhook deliveries (days).'),
  SMTP_URL: z
    .url({ protocol: /^smtps?$/, error: 'must be an smtp:// or smtps:// URL, such as smtp://user:password@mail:587' })
    .optional()
    .describe(
      'URL of the mail server that sends email to users, with its user name and password. Without it, no email is sent. ' +
        'Requires SMTP_FROM.',
    ),
  SMTP_FROM: z
    .email('must be an email address')
    .optional()
    .describe('Email address of the sender of email. Requires SMTP_URL.'),
};
