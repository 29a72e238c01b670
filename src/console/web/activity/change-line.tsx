import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { Icon } from '../look/icon.js';
import { StateMark } from '../look/state-mark.js';
import { Time } from '../look/time-text.js';
import type { Change } from './activity-queries.js';
import { oneOfKind, verbWord } from './change-words.js';
import { SubjectLink } from './subject-link.js';
import './activity.css';

interface ChangeLineProps {
  change: Change;
  workspace: string;
  /** Whether it stands where it is clear what was changed. */
  isAlone?: boolean;
}

/** One change: when, who, what was done to what, and the way to all that is known of it. */
export function ChangeLine({ change, workspace, isAlone = false }: ChangeLineProps): ReactElement {
  const { id, time, verb, kind, name, status, fields, message, actor } = change;
  const isOfOwner = kind === 'SANDBOX_PREVIEW' || kind === 'EGRESS_GATEWAY' || kind === 'EGRESS_IP';
  const told = verb === 'STATUS' && status !== null ? undefined : verbWord(verb);
  return (
    <>
      <span className="quiet change-time">
        <Time value={time} />
      </span>
      <span className="change-what">
        {told === undefined ? <StateMark state={status} /> : <strong>{told}</strong>}{' '}
        {name !== null && !isAlone && (
          <SubjectLink change={change} workspace={workspace} className="mono">
            {isOfOwner ? ownerOf(change) : ''}
            {name}
          </SubjectLink>
        )}{' '}
        <span className="quiet">
          {[isAlone ? '' : oneOfKind(kind), actor.name === null ? '' : `by ${actor.name}`]
            .filter((part) => part !== '')
            .join(', ')}
        </span>
      </span>
      <Link
        to="/w/$workspace/activity"
        params={{ workspace }}
        search={(before) => ({ ...before, change: id, at: time })}
        resetScroll={false}
        className="change-open"
        aria-label={`All of this change: ${told ?? status?.toLowerCase() ?? ''} ${name ?? ''}, ${time}`}
        title="All that is known of this change"
      >
        <Icon name="right" />
      </Link>
      {verb === 'STATUS' ? (
        message !== null && <span className="change-more quiet">{message}</span>
      ) : (
        <span className="change-more mono quiet">{fields.filter((field) => field !== 'status').join(', ')}</span>
      )}
    </>
  );
}

/** Such as "claims-notebook / " before the name of a preview: names are unique in what holds them alone. */
function ownerOf({ resource }: Change): string {
  if (resource === null) return '';
  const owner =
    resource.__typename === 'SandboxPreview'
      ? resource.sandbox
      : resource.__typename === 'EgressGateway'
        ? resource.vpc
        : resource.__typename === 'EgressIp'
          ? resource.gateway?.vpc
          : undefined;
  return owner == null ? '' : `${owner.metadata.name} / `;
}
