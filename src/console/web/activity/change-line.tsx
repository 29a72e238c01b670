import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import type { Kind } from '../kinds/kinds.js';
import { StateMark } from '../look/state-mark.js';
import { Time } from '../look/time-text.js';
import { wordOf } from '../look/words.js';
import type { Change } from './activity-queries.js';
import './activity.css';

const pages = new Map<Change['kind'], Kind>([
  ['AGENT', 'agents'],
  ['SANDBOX', 'sandboxes'],
  ['JOB', 'jobs'],
  ['VOLUME', 'volumes'],
  ['VPC', 'networks'],
]);

/** One change: when, who, what was done to what. */
export function ChangeLine({ change, workspace }: { change: Change; workspace: string }): ReactElement {
  const { time, verb, kind, name, status, fields, message, actor, resource } = change;
  const page = pages.get(kind);
  const what = kind === 'VPC' ? 'network' : wordOf(kind.toLowerCase());
  return (
    <>
      <span className="quiet change-time">
        <Time value={time} />
      </span>
      <span className="change-what">
        {verb === 'STATUS' && status !== null ? (
          <StateMark state={status} />
        ) : (
          <strong>{wordOf(verb.toLowerCase())}</strong>
        )}{' '}
        {name !== null && page !== undefined && resource !== null ? (
          <Link to="/w/$workspace/$kind/$name" params={{ workspace, kind: page, name }} className="mono">
            {name}
          </Link>
        ) : (
          name !== null && <span className="mono">{name}</span>
        )}{' '}
        <span className="quiet">
          {what}
          {actor.name === null ? '' : `, by ${actor.name}`}
        </span>
      </span>
      {fields.length > 0 ? (
        <span className="change-more mono quiet">{fields.join(', ')}</span>
      ) : (
        verb === 'STATUS' && message !== null && <span className="change-more quiet">{message}</span>
      )}
    </>
  );
}
