import type { VariablesOf } from '../api/graphql.js';
import type { SearchText } from '../lists/search-text.js';
import { textIn } from '../lists/search-text.js';
import type { activityQuery } from './activity-queries.js';

type Filter = NonNullable<VariablesOf<typeof activityQuery>['filter']>;

/** What is told of, by the word that the address has. */
export const changeKinds = {
  agent: { label: 'agents', value: 'AGENT' },
  sandbox: { label: 'sandboxes', value: 'SANDBOX' },
  'sandbox-preview': { label: 'previews', value: 'SANDBOX_PREVIEW' },
  job: { label: 'jobs', value: 'JOB' },
  'agent-invocation': { label: 'runs by cron triggers', value: 'AGENT_INVOCATION' },
  'job-execution': { label: 'executions', value: 'JOB_EXECUTION' },
  volume: { label: 'volumes', value: 'VOLUME' },
  vpc: { label: 'networks', value: 'VPC' },
  'egress-gateway': { label: 'egress gateways', value: 'EGRESS_GATEWAY' },
  'egress-ip': { label: 'egress addresses', value: 'EGRESS_IP' },
  image: { label: 'images', value: 'IMAGE' },
  'image-tag': { label: 'image tags', value: 'IMAGE_TAG' },
  'image-share': { label: 'shares', value: 'IMAGE_SHARE' },
  workspace: { label: 'the workspace', value: 'WORKSPACE' },
  member: { label: 'members', value: 'MEMBER' },
  'api-key': { label: 'API keys', value: 'API_KEY' },
} as const;

export const changeVerbs = {
  created: { label: 'created', value: 'CREATED' },
  updated: { label: 'updated', value: 'UPDATED' },
  deleted: { label: 'deleted', value: 'DELETED' },
  status: { label: 'state told', value: 'STATUS' },
  started: { label: 'started', value: 'STARTED' },
  cancelled: { label: 'cancelled', value: 'CANCELLED' },
  shared: { label: 'shared', value: 'SHARED' },
  accepted: { label: 'accepted', value: 'ACCEPTED' },
  declined: { label: 'declined', value: 'DECLINED' },
  revoked: { label: 'revoked', value: 'REVOKED' },
  refused: { label: 'refused', value: 'REFUSED' },
} as const;

export type ChangeKindWord = keyof typeof changeKinds;
export type ChangeVerbWord = keyof typeof changeVerbs;

/** The state of the activity, all of which its address holds. */
export interface ActivitySearch {
  kind?: ChangeKindWord;
  verb?: ChangeVerbWord;
  actor?: string;
  /** Cursor of the page: what was before it. */
  before?: string;
}

export function activitySearch(search: SearchText): ActivitySearch {
  const [kind, verb] = [textIn(search, 'kind'), textIn(search, 'verb')];
  const [actor, before] = [textIn(search, 'actor'), textIn(search, 'before')];
  return {
    ...(kind !== undefined && isChangeKind(kind) ? { kind } : {}),
    ...(verb !== undefined && isChangeVerb(verb) ? { verb } : {}),
    ...(actor === undefined ? {} : { actor }),
    ...(before === undefined ? {} : { before }),
  };
}

export function filterOf({ kind, verb, actor }: ActivitySearch): Filter {
  return {
    ...(kind === undefined ? {} : { kinds: [changeKinds[kind].value] }),
    ...(verb === undefined ? {} : { verbs: [changeVerbs[verb].value] }),
    ...(actor === undefined ? {} : { actors: [actor] }),
  };
}

export function isChangeKind(text: string): text is ChangeKindWord {
  return Object.hasOwn(changeKinds, text);
}

export function isChangeVerb(text: string): text is ChangeVerbWord {
  return Object.hasOwn(changeVerbs, text);
}
