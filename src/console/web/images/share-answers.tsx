import type { ReactElement } from 'react';
import { useMutation } from 'urql';
import { problemOf } from '../api/failure.js';
import { graphql } from '../api/graphql.js';
import { Confirm } from '../look/confirm.js';

const acceptMutation = graphql(`
  mutation AcceptShare($id: ID!) {
    acceptImageShare(input: { id: $id }) {
      __typename
      ... on AcceptImageSharePayload {
        imageShare {
          id
          status
        }
      }
      ... on Error {
        code
        message
      }
    }
  }
`);

const declineMutation = graphql(`
  mutation DeclineShare($id: ID!) {
    declineImageShare(input: { id: $id }) {
      __typename
      ... on DeclineImageSharePayload {
        imageShare {
          id
          status
        }
      }
      ... on Error {
        code
        message
      }
    }
  }
`);

const revokeMutation = graphql(`
  mutation RevokeShare($id: ID!) {
    revokeImageShare(input: { id: $id }) {
      __typename
      ... on RevokeImageSharePayload {
        imageShare {
          id
          status
        }
      }
      ... on Error {
        code
        message
      }
    }
  }
`);

interface ShareProps {
  id: string;
  image: string;
  onDone: () => void;
}

/** Takes an offer. */
export function AcceptShare({ id, image, onDone }: ShareProps): ReactElement {
  const [, accept] = useMutation(acceptMutation);
  return (
    <Confirm
      trigger="Accept…"
      title={`Accept ${image}?`}
      confirm="Accept"
      keep="Not yet"
      run={async () => {
        const { data, error } = await accept({ id });
        const result = data?.acceptImageShare;
        if (result?.__typename !== 'AcceptImageSharePayload') return problemOf(result, error);
        onDone();
        return undefined;
      }}
    >
      The image is copied into this workspace with its tags of now, and is paid for as this workspace’s own from then
      on.
    </Confirm>
  );
}

/** Turns an offer down. */
export function DeclineShare({ id, image, from, onDone }: ShareProps & { from: string }): ReactElement {
  const [, decline] = useMutation(declineMutation);
  return (
    <Confirm
      trigger="Decline…"
      title={`Decline ${image}?`}
      confirm="Decline"
      keep="Keep the offer"
      run={async () => {
        const { data, error } = await decline({ id });
        const result = data?.declineImageShare;
        if (result?.__typename !== 'DeclineImageSharePayload') return problemOf(result, error);
        onDone();
        return undefined;
      }}
    >
      The offer ends for good. {from} has to share the image again if you change your mind.
    </Confirm>
  );
}

/** Takes an offer back that nobody has answered. */
export function RevokeShare({ id, image, to, onDone }: ShareProps & { to: string }): ReactElement {
  const [, revoke] = useMutation(revokeMutation);
  return (
    <Confirm
      trigger="Take back…"
      title={`Take ${image} back?`}
      confirm="Take it back"
      keep="Keep the offer"
      run={async () => {
        const { data, error } = await revoke({ id });
        const result = data?.revokeImageShare;
        if (result?.__typename !== 'RevokeImageSharePayload') return problemOf(result, error);
        onDone();
        return undefined;
      }}
    >
      {to} can accept it no more. It can be offered again.
    </Confirm>
  );
}
