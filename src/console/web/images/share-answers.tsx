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

/** What can be said to an offer. `what` says what follows, to who reads it before. */
const answers = {
  accept: {
    trigger: 'Accept…',
    title: (image: string) => `Accept ${image}?`,
    confirm: 'Accept',
    keep: 'Not yet',
    what: () =>
      'The image is copied into this workspace with its tags of now, and is paid for as this workspace’s own from then on.',
    send: (id: string) => perform(acceptMutation, { id }),
  },
  decline: {
    trigger: 'Decline…',
    title: (image: string) => `Decline ${image}?`,
    confirm: 'Decline',
    keep: 'Keep the offer',
    what: (other: string) => `The offer ends for good. ${other} has to share the image again if you change your mind.`,
    send: (id: string) => perform(declineMutation, { id }),
  },
  revoke: {
    trigger: 'Take back…',
    title: (image: string) => `Take ${image} back?`,
    confirm: 'Take it back',
    keep: 'Keep the offer',
    what: (other: string) => `${other} can accept it no more. It can be offered again.`,
    send: (id: string) => perform(revokeMutation, { id }),
  },
} as const;

interface AnswerShareProps {
  answer: keyof typeof answers;
  id: string;
  image: string;
  /** The workspace at the other end of the offer. */
  other: string;
  onDone: () => void;
}

/** Takes an offer, turns it down, or takes one's own back that nobody has answered. */
export function AnswerShare({ answer, id, image, other, onDone }: AnswerShareProps): ReactElement {
  const { trigger, title, confirm, keep, what, send } = answers[answer];
  return (
    <Confirm
      trigger={trigger}
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
