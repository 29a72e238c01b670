import type { ReactElement } from 'react';
import { graphql } from '../api/graphql.js';
import { problem } from '../api/refusal.js';
import { perform } from '../api/perform.js';
import { Confirm } from '../look/confirm.js';

const answered = graphql(`
  fragment AnsweredShare on ImageShare {
    id
    status
  }
`);

const acceptMutation = graphql(
  `
    mutation AcceptShare($id: ID!) {
      result: acceptImageShare(input: { id: $id }) {
        __typename
        ... on AcceptImageSharePayload {
          imageShare {
            ...AnsweredShare
          }
        }
        ...Problem
      }
    }
  `,
  [answered, problem],
);

const declineMutation = graphql(
  `
    mutation DeclineShare($id: ID!) {
      result: declineImageShare(input: { id: $id }) {
        __typename
        ... on DeclineImageSharePayload {
          imageShare {
            ...AnsweredShare
          }
        }
        ...Problem
      }
    }
  `,
  [answered, problem],
);

const revokeMutation = graphql(
  `
    mutation RevokeShare($id: ID!) {
      result: revokeImageShare(input: { id: $id }) {
        __typename
        ... on RevokeImageSharePayload {
          imageShare {
            ...AnsweredShare
          }
        }
        ...Problem
      }
    }
  `,
  [answered, problem],
);

/** The possible responses to an offer, with their consequences. */
const answers = {
  accept: {
    trigger: 'Accept…',
    title: (image: string) => `Accept ${image}?`,
    confirm: 'Accept',
    keep: 'Cancel',
    what: () => 'The image and its current tags are copied to this workspace, which is billed for them from now on.',
    send: (id: string) => perform(acceptMutation, { id }),
  },
  decline: {
    trigger: 'Decline…',
    title: (image: string) => `Decline ${image}?`,
    confirm: 'Decline',
    keep: 'Cancel',
    what: (other: string) => `This cannot be undone. ${other} must share the image again if you need it.`,
    send: (id: string) => perform(declineMutation, { id }),
  },
  revoke: {
    trigger: 'Revoke…',
    title: (image: string) => `Revoke the offer of ${image}?`,
    confirm: 'Revoke',
    keep: 'Cancel',
    what: (other: string) => `${other} can no longer accept it. You can share the image again.`,
    send: (id: string) => perform(revokeMutation, { id }),
  },
} as const;

export type ShareAnswer = keyof typeof answers;

interface AnswerShareProps {
  answer: ShareAnswer;
  id: string;
  image: string;
  /** The other workspace. */
  other: string;
  onDone: () => void;
}

/** Accepts, declines or revokes an offer. */
export function AnswerShare({ answer, id, image, other, onDone }: AnswerShareProps): ReactElement {
  const { trigger, title, confirm, keep, what, send } = answers[answer];
  return (
    <Confirm
      trigger={trigger}
      isDestructive={answer !== 'accept'}
      title={title(image)}
      confirm={confirm}
      keep={keep}
      run={async () => {
        const why = await send(id);
        if (why === undefined) onDone();
        return why;
      }}
    >
      {what(other)}
    </Confirm>
  );
}
