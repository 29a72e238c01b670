import type { ReactElement } from 'react';
import './icon.css';

const paths = {
  overview: 'M2.5 9.5l3-4 3 3 5-6M2.5 13.5h11',
  agents: 'M8 1.8l5.4 3.1v6.2L8 14.2l-5.4-3.1V4.9zM8 8l5.4-3.1M8 8v6.2M8 8L2.6 4.9',
  sandboxes: 'M2.5 3.5h11v9h-11zM5 7l1.8 1.6L5 10.2M8.5 10.5H11',
  jobs: 'M3 3.5h7M3 8h10M3 12.5h5',
  volumes:
    'M2.5 4.2c0-1.2 2.5-2 5.5-2s5.5.8 5.5 2-2.5 2-5.5 2-5.5-.8-5.5-2zM2.5 4.2v7.6c0 1.2 2.5 2 5.5 2s5.5-.8 5.5-2V4.2M2.5 8c0 1.2 2.5 2 5.5 2s5.5-.8 5.5-2',
  networks: 'M8 2v4M4 10V8h8v2M3 10h2v3H3zM7 10h2v3H7zM11 10h2v3h-2zM8 6v2',
  images: 'M3 2.5h7l3 3v8H3zM10 2.5v3h3',
  shares: 'M6 8h7M10.5 5.5L13 8l-2.5 2.5M8 3H3v10h5',
  activity: 'M2 8h3l2-5 2.5 10L11.5 8H14',
  costs:
    'M8 2v12M11 4.5C10.4 3.6 9.3 3.2 8 3.2c-1.7 0-3 .8-3 2.2 0 3.2 6 1.6 6 4.9 0 1.5-1.3 2.4-3 2.4-1.5 0-2.7-.6-3.2-1.7',
  access: 'M10.2 9.4a3.7 3.7 0 1 0-3.6-3.6L2.5 9.9v3.6h3.2v-2h2z',
  members:
    'M6 7.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM1.5 13.5c0-2.5 2-4 4.5-4s4.5 1.5 4.5 4M10.5 2.8a2.5 2.5 0 0 1 0 4.4M12 9.9c1.5.6 2.5 1.9 2.5 3.6',
  workspaces: 'M2.5 2.5h4.5v4.5H2.5zM9 2.5h4.5v4.5H9zM2.5 9h4.5v4.5H2.5zM9 9h4.5v4.5H9z',
  webhooks: 'M8 8.2v5.3M3.2 8.6a5 5 0 0 1 9.6 0M5.4 9.2a2.7 2.7 0 0 1 5.2 0M8 7.6h.01',
  budgets: 'M3.2 12.3a5.8 5.8 0 1 1 9.6 0M8 9.2l2.6-3.4M8 9.2h.01',
  quotas: 'M2.5 3.5h11v3.4h-11zM2.5 9.1h11v3.4h-11zM9.6 3.5v3.4M6 9.1v3.4',
  clients: 'M5.8 1.8v3.4M10.2 1.8v3.4M4 5.2h8v2.6a4 4 0 0 1-8 0zM8 11.8v2.4',
  signOn: 'M8 1.8l5 2v3.9c0 3-2 5.4-5 6.5-3-1.1-5-3.5-5-6.5V3.8zM5.7 8l1.7 1.7 3-3.4',
  account: 'M3.5 13.5v-11h9v11M2 13.5h12M6.2 5.5h.01M9.8 5.5h.01M6.2 8.2h.01M9.8 8.2h.01M6.8 13.5v-2.4h2.4v2.4',
  platform:
    'M8 1.8a6.2 6.2 0 1 1 0 12.4A6.2 6.2 0 0 1 8 1.8zM1.8 8h12.4M8 1.8c2 2 2.6 4 2.6 6.2S10 12.2 8 14.2C6 12.2 5.4 10.2 5.4 8S6 3.8 8 1.8z',
  search: 'M7 2.5a4.5 4.5 0 1 1 0 9 4.5 4.5 0 0 1 0-9zM10.4 10.4l3.4 3.4',
  filter: 'M2.5 4h11M4.5 8h7M6.5 12h3',
  menu: 'M2.5 4.5h11M2.5 8h11M2.5 11.5h11',
  close: 'M4 4l8 8M12 4l-8 8',
  down: 'M4.5 6.5L8 10l3.5-3.5',
  right: 'M6.5 4.5L10 8l-3.5 3.5',
  up: 'M4.5 9.5L8 6l3.5 3.5',
  check: 'M3.5 8.5l3 3 6-6.5',
  copy: 'M5.5 5.5h7v7h-7zM10.5 5.5v-2h-7v7h2',
  link: 'M6.5 9.5l3-3M7.5 4.5l1-1a2.8 2.8 0 0 1 4 4l-1 1M8.5 11.5l-1 1a2.8 2.8 0 0 1-4-4l1-1',
  more: 'M4 8h.01M8 8h.01M12 8h.01',
  download: 'M8 2.5v7.5M5 7.2L8 10.2l3-3M3 13.2h10',
  open: 'M9 3h4v4M13 3L7.5 8.5M11.5 9.5v3h-8v-8h3',
} as const;

export type IconName = keyof typeof paths;

/** A decorative icon. Show a text or label as well. */
export function Icon({ name }: { name: IconName }): ReactElement {
  return (
    <svg className="icon" viewBox="0 0 16 16" aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  );
}
