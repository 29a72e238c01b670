// Calls the functions of the API for people of the demo, at times of the past. The calls are part of the transaction that
// loads the demo.
import type { AccessibleWorkspace, Caller } from '../auth/caller.js';
import { createContext } from '../auth/context.js';
import type { RequestContext } from '../auth/context.js';
import { unknownLocation } from '../auth/viewer-location.js';
import type { Prisma } from '../database/client/client.js';
import { nestedTransaction } from '../database/nested-transaction.js';
import { runAtOnce } from '../database/transaction.js';
import type { Statements } from '../database/transaction.js';
import type { Encryption } from '../encryption.js';
import { demoWorkspace } from './accounts.js';
import { principalNamed, requestBy } from './actors.js';
import { demoAccounts, platformAccount } from './company.js';
import { idOf } from './random.js';

/** The transaction that loads the demo. */
export interface Loading {
  tx: Prisma.TransactionClient;
  encryption: Encryption;
  /** The prefix of the addresses of endpoints. */
  inferenceUrl: string;
  /** The end of the demo data. */
  end: Date;
}

/** The request of a user or service account of the demo, with the roles that it has. */
export function requestAt(loading: Loading, actor: string, at: Date): RequestContext {
  const { tx, encryption, inferenceUrl, end } = loading;
  const { caller: named, ...request } = requestBy(actor, at, `${actor} ${at.toISOString()}`);
  const caller = {
    principal: { ...named.principal, displayName: principalNamed(actor).displayName },
    credential: { ...named.credential, id: idOf(`credential of ${actor}`), expiresAt: undefined },
    scopes: new Set(['admin']),
    ...accessOf(actor, end),
    confinedTo: undefined,
    addWorkspace: () => {},
    forget: () => {},
  };
  const given = {
    ...request,
    caller,
    encryption,
    inferenceUrl,
    platformAccount,
    workspaceName: undefined,
    viewerLocation: () => unknownLocation,
    idempotencyKey: undefined,
    logsTemplate: undefined,
    serviceName: '',
    apiKeyLife: { daysDefault: 90, daysMax: undefined },
    egressRules: { allowsHttp: false, allowedNetworks: [] },
    signInProviders: [],
    provisionedDomains: undefined,
  };
  const database = nestedTransaction(statementsOf(tx)).tx;
  return createContext({ db: database, replica: undefined }, given, async () => caller);
}

function accessOf(actor: string, end: Date): Pick<Caller, 'accounts' | 'workspaces'> {
  const account = demoAccounts.find(({ principals }) => principals.some(({ name }) => name === actor));
  const { role, workspaces: roles } = principalNamed(actor);
  const all = account?.workspaces.map((name) => demoWorkspace(account, name, end)) ?? [];
  const workspaces = all.flatMap((workspace): [string, AccessibleWorkspace][] => {
    const own = role === 'admin' ? role : roles[workspace.name];
    return own === undefined ? [] : [[workspace.name, { ...workspace, role: own }]];
  });
  return { accounts: all.slice(0, 1).map((each) => ({ ...each.account, role })), workspaces: new Map(workspaces) };
}

/** The transaction as the functions of the API use it. */
export function statementsOf(tx: Prisma.TransactionClient): Statements {
  const $text: Statements['$text'] = async (statement) => {
    const [row = {}] = await tx.$queryRaw<Record<string, string | null>[]>(statement);
    return Object.values(row)[0] ?? '';
  };
  const run = runAtOnce(tx);
  return {
    $text,
    $executeRaw: (query, ...values) => tx.$executeRaw(query, ...values),
    $defer: async (statement, errorFrom, onText) =>
      onText === undefined ? run(statement, errorFrom) : onText(await $text(statement)),
    $flush: async () => {},
    $prisma: async () => tx,
    $alone: (_key, act) => act(),
    isTransaction: true,
  };
}
