import type { Logger } from 'pino';
import type { AccessTokenVerifier, TokenSettings } from '../auth/access-token.js';
import type { ContextServices } from '../auth/open-context.js';
import type { SignInProvider } from '../auth/sign-in/provider.js';
import type { VerificationKeys } from '../auth/signing-keys.js';
import type { Refusals } from '../changes/refusals/refusals.js';
import type { EgressSettings } from '../webhooks/egress.js';
import type { Traces } from '../telemetry/traces.js';
import type { HttpServices } from './http-services.js';
import type { UpkeepRecord } from './upkeep-record.js';

/** What the process has one of, made at its start. */
export interface Services extends ContextServices, HttpServices {
  /** The version of this program. */
  version: string;
  upkeep: UpkeepRecord;
  /** Issuer and audience of access tokens. */
  tokens: TokenSettings;
  tokenVerifier: AccessTokenVerifier;
  verificationKeys: VerificationKeys;
  /** How people sign in on the pages: by a provider, by password, or by either. */
  signIn: { provider: SignInProvider | undefined; isByPassword: boolean };
  log: Logger;
  /** Where it is told what was refused, and to whom. */
  refusals: Refusals;
  /** Absent without a collector. */
  traces: Traces | undefined;
  defaultVersion: string;
  /** Address by which clients reach this service. */
  publicUrl: string;
  complexityMax: number;
  /** Longest time for one GraphQL operation. */
  operationMsMax: number;
  /** Documents of GraphQL that clients may name by their ids. */
  trustedDocuments: ReadonlyMap<string, string>;
  /** Whether no other documents are run. */
  areOnlyTrusted: boolean;
  examples: GraphiqlExamples;
  /** The way out to receivers of webhooks. */
  egressRules: EgressSettings;
}

/** What GraphiQL opens with: the demo fills it in, otherwise there are places to fill. */
export interface GraphiqlExamples {
  key?: string;
  /** Name of a user whom the sign-in page lets in with one click: nothing but a demo sets it. */
  user?: string;
  workspace?: string;
  agent?: string;
  job?: string;
  search?: string;
  account?: string;
}
