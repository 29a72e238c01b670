// Listens for PostgreSQL notifications on a dedicated connection.
import pg from 'pg';
import type { EmbeddedPool } from './embedded-pool.js';

/** A subscription to the notifications of a channel. */
export interface Listening {
  /** Whether the subscription is active; notifications are lost while it is not. */
  isOn: () => boolean;
  close: () => Promise<void>;
}

export type Listen = (channel: string, onNotification: (payload: string) => void) => Listening;

const retryMs = 1_000;

/** The maximum wait for a server that is to end the connection (ms). */
const endMsMax = 1_000;

/** Listens on a server, and reconnects when the connection breaks. */
export function listenOnServer(settings: pg.ClientConfig): Listen {
  return (channel, onNotification) => {
    let client: pg.Client | undefined;
    let isOn = false;
    let isClosed = false;
    let retry: NodeJS.Timeout | undefined;

    const lost = (broken: pg.Client): void => {
      if (client !== broken) return;
      client = undefined;
      isOn = false;
      broken.end().catch(() => {});
      if (isClosed) return;
      retry = setTimeout(connect, retryMs);
      retry.unref();
    };
    const connect = (): void => {
      const fresh = new pg.Client(settings);
      client = fresh;
      // Listeners also poll, so a lost connection only delays them.
      fresh.on('error', () => lost(fresh));
      fresh.on('end', () => lost(fresh));
      fresh.on('notification', ({ payload = '' }) => onNotification(payload));
      fresh
        .connect()
        .then(() => fresh.query(`LISTEN ${fresh.escapeIdentifier(channel)}`))
        .then(
          () => (isOn = client === fresh),
          () => lost(fresh),
        );
    };
    connect();
    return {
      isOn: () => isOn,
      close: async () => {
        isClosed = true;
        clearTimeout(retry);
        const last = client;
        client = undefined;
        isOn = false;
        const cut = setTimeout(() => last?.connection.stream.destroy(), endMsMax);
        await last?.end().catch(() => {});
        clearTimeout(cut);
      },
    };
  };
}

/** Listens on PostgreSQL in the process. */
export function listenEmbedded({ pool, onNotification }: EmbeddedPool): Listen {
  return (channel, hear) => {
    let isOn = false;
    const stop = onNotification(({ channel: of, payload = '' }) => {
      if (of === channel) hear(payload);
    });
    pool.query(`LISTEN ${pg.escapeIdentifier(channel)}`).then(
      () => (isOn = true),
      () => {},
    );
    return {
      isOn: () => isOn,
      close: async () => {
        isOn = false;
        stop();
      },
    };
  };
}
