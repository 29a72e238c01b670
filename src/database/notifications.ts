// What PostgreSQL tells as it commits, on one connection that does nothing else.
import pg from 'pg';

/** Told of everything that is notified on a channel, by its payload. */
export interface Listening {
  /** Whether notifications come in now; while they do not, they are lost. */
  isOn: () => boolean;
  close: () => Promise<void>;
}

export type Listen = (channel: string, onNotification: (payload: string) => void) => Listening;

const retryMs = 1_000;

/** Listens on a connection to a server, and again on another one when it breaks. */
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
      // Whoever listens asks again by themselves meanwhile: a connection that is lost loses time, and nothing else.
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
        await last?.end().catch(() => {});
      },
    };
  };
}

interface EmbeddedChannels {
  listen: (channel: string, on: (payload: string) => void) => Promise<() => Promise<void>>;
}

/** Listens within the process. */
export function listenEmbedded(engine: EmbeddedChannels): Listen {
  return (channel, onNotification) => {
    let isOn = false;
    const begun = engine.listen(channel, onNotification).then(
      (stop) => {
        isOn = true;
        return stop;
      },
      () => undefined,
    );
    return {
      isOn: () => isOn,
      close: async () => {
        const stop = await begun;
        isOn = false;
        await stop?.();
      },
    };
  };
}
