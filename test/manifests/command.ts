// The command line against the gateway of a test, as a shell would run it, and a platform to apply.
import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect } from 'vitest';
import { runIfForGateway } from '../../src/cli/gateway-command-line.js';
import type { GatewayCommandContext } from '../../src/cli/gateway-command-line.js';
import type { CommandResult } from '../../src/cli/print.js';
import { createKey, createTenant } from '../harness.js';
import type { Tenant, TestApp } from '../harness.js';

export interface Shell {
  tenant: Tenant;
  key: string;
  workspace: string;
  /** Where the files are that commands name. */
  folder: string;
  /** Pauses between attempts (ms), which tests skip. */
  pauses: number[];
  /** Runs a command, with standard input, and with further parts of the context of a process. */
  run: (line: string, standardInput?: string, process?: Partial<GatewayCommandContext>) => Promise<CommandResult>;
  /** Runs a command that has to succeed. @returns its output */
  done: (line: string, standardInput?: string) => Promise<string>;
  write: (file: string, content: string) => void;
  environment: Record<string, string | undefined>;
}

/** Whether a request is lost, or its response. */
type Lost = 'before' | 'after' | undefined;

/**
 * A proxy that simulates network failures between client and gateway: requests with a body for which `isLost` is true
 * may be executed without a response. It counts the requests at the same time.
 */
export async function openLossyNetwork(
  app: TestApp,
  isLost: (body: string) => Lost | Promise<Lost>,
): Promise<{ server: string; mostAtOnce: () => number; close: () => void }> {
  let open = 0;
  let openMax = 0;
  const relay = createServer((incoming, response) => {
    openMax = Math.max(openMax, ++open);
    response.on('close', () => open--);
    void (async () => {
      const body = await text(incoming);
      const { authorization, 'content-type': type = '', 'idempotency-key': key } = incoming.headers;
      const lost = await isLost(body);
      if (lost === 'before') return response.destroy();
      const headers = { 'content-type': type, ...(authorization === undefined ? {} : { authorization }) };
      const answer = await fetch(`${app.origin}${incoming.url}`, {
        method: 'POST',
        body,
        headers: key === undefined ? headers : { ...headers, 'idempotency-key': String(key) },
      });
      const answered = await answer.text();
      if (lost === 'after') return response.destroy();
      return response.writeHead(answer.status, { 'content-type': 'application/json' }).end(answered);
    })();
  });
  await once(relay.listen(0, '127.0.0.1'), 'listening');
  const close = () => {
    relay.closeAllConnections();
    relay.close();
  };
  return { server: `http://127.0.0.1:${portOf(relay.address())}`, mostAtOnce: () => openMax, close };
}

export function portOf(address: string | AddressInfo | null): number {
  if (address === null || typeof address === 'string') throw new Error('not listening on a port');
  return address.port;
}

let shells = 0;

/** A tenant with one empty workspace, and a shell with its key. */
export async function openShell(app: TestApp, pause: (ms: number) => Promise<void> = async () => {}): Promise<Shell> {
  const account = `shell-${++shells}`;
  const workspace = `${account}-main`;
  const tenant = await createTenant(app, { account, workspaces: [workspace] });
  const { key } = await createKey(app, tenant);
  const folder = mkdtempSync(join(tmpdir(), 'control-plane-apply-'));
  const pauses: number[] = [];
  // The login of the user who runs the tests is ignored.
  const environment: Shell['environment'] = { SERVER: app.origin, KEY: key, XDG_CONFIG_HOME: folder };
  const run: Shell['run'] = async (line, standardInput = '', process = {}) => {
    const context = {
      environment,
      folder,
      standardInput: Readable.from([standardInput]),
      pause: async (ms: number) => {
        pauses.push(ms);
        await pause(ms);
      },
      tell: () => {},
      ...process,
    };
    const result = await runIfForGateway(line.split(' '), context);
    if (result === undefined) throw new Error(`${line} is no command of a gateway's client`);
    return result;
  };
  const done: Shell['done'] = async (line, standardInput) => {
    const { stdout, stderr, exitCode } = await run(line, standardInput);
    expect({ stderr, exitCode, stdout: exitCode === 0 ? '' : stdout }).toEqual({ stderr: '', exitCode: 0, stdout: '' });
    return stdout;
  };
  return {
    tenant,
    key,
    workspace,
    folder,
    pauses,
    run,
    done,
    write: (file, content) => writeFileSync(join(folder, file), content),
    environment,
  };
}

/** Creates a region that every account can use. */
export async function addRegion({ services: { db } }: TestApp, name: string): Promise<void> {
  await db.continent.create({ data: { name: 'EU', displayName: 'Europe' } });
  await db.country.create({ data: { name: 'DE', displayName: 'Germany' } });
  await db.region.create({ data: { name, continentName: 'EU', countryName: 'DE', egressAvailable: true } });
}

/** Something of every kind, in an order that is of no help, with all that documents can differ from answers in. */
export function platformOf(workspace: string): string {
  return `
kind: Job
workspace: ${workspace}
metadata: { name: nightly, labels: { app: shop } }
spec: { parallelism: 2, timeout: 600 }
---
kind: SandboxPreview
workspace: ${workspace}
sandbox: box
metadata: { name: web }
spec: { port: 3000, public: true, expires: '2027-01-01T02:00:00+01:00', responseHeaders: { x-frame: deny } }
---
kind: Sandbox
workspace: ${workspace}
metadata: { name: box, labels: { app: shop } }
spec: { region: eu-open, volumes: [{ name: data, mountPath: /data }] }
---
kind: Agent
workspace: ${workspace}
metadata: { name: support, displayName: Support, externalId: ext-1, labels: { app: shop, team: care } }
spec:
  region: eu-open
  runtime:
    generation: mk3
    memory: 2048
    envs: [{ name: TOKEN, value: s3cr3t-value, secret: true }, { name: MODE, value: fast }]
  triggers:
    - { type: http-async, configuration: { callbackUrl: 'https://example.com/back', timeout: 60 } }
    - { type: cron, configuration: { schedule: 0 5 * * 1, tasks: [{ run: report }] } }
  volumes: [{ name: data, mountPath: /data, type: persistent }]
---
kind: EgressIp
workspace: ${workspace}
vpc: net
gateway: out
metadata: { name: first }
---
kind: EgressGateway
workspace: ${workspace}
vpc: net
metadata: { name: out, displayName: Way out }
spec: { region: eu-open }
---
kind: Vpc
workspace: ${workspace}
metadata: { name: net, labels: [{ key: app, value: shop }] }
spec: { cidrBlock: 10.20.0.0/16, region: eu-open }
---
kind: Volume
workspace: ${workspace}
metadata: { name: data, labels: { app: shop } }
spec: { region: eu-open, sizeMb: 1024 }
---
kind: Workspace
metadata: { name: ${workspace}, displayName: The Main One }
`;
}
