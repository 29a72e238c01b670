import { useEffect, useRef, useState } from 'react';
import { isOnline, whenOnline } from '../api/connection.js';
import type { ChangeOptions, Problem, Refusal } from './change-resource.js';

export interface Trial {
  /** Whether a request is in progress. */
  isBusy: boolean;
  /** Whether the request in progress saves the change. */
  isSaving: boolean;
  /** Whether saving waits for the connection, and then continues by itself. */
  isAway: boolean;
  /** Whether the current draft is valid. */
  isAccepted: boolean;
  /** The error of the current draft. */
  refusal: Refusal | undefined;
  /** The problems to show: those of fields that lost the focus, or all after a validation. */
  problems: readonly Problem[];
  /** Called when a field loses the focus. */
  leave: (path: string) => void;
  /** Validates or saves. @returns whether it succeeded. */
  ask: (validateOnly: boolean) => Promise<boolean>;
}

/** What a dialog says while saving waits for the connection. */
export const awayText =
  'Connection lost. Not saved yet: saving continues when the connection is back. Cancel stops it.';

/**
 * Validates a draft with the service: automatically when a field loses the focus, and on request.
 *
 * @param text the draft. A result is valid only for the text that was sent.
 * @param isReady whether there is a draft to validate.
 */
export function useTrial(
  text: string,
  isReady: boolean,
  send: (options: ChangeOptions) => Promise<Refusal | undefined>,
): Trial {
  const [answer, setAnswer] = useState<{ of: string; refusal: Refusal | undefined }>();
  const [pending, setPending] = useState(0);
  const [isSaving, setSaving] = useState(false);
  const [visited, setLeft] = useState<ReadonlySet<string>>(new Set());
  const [isAsked, setAsked] = useState(false);
  const [isAway, setAway] = useState(false);
  const now = answer?.of === text ? answer : undefined;

  /** The number of requests so far. Only the answer of the last one counts: a validation may be answered after saving. */
  const asked = useRef(0);
  const isOpen = useRef(true);
  useEffect(() => {
    isOpen.current = true;
    return () => {
      isOpen.current = false;
    };
  }, []);
  /** Saves, and if the connection is lost, saves again once it is back. The key makes sure that it is saved once. */
  const save = async (): Promise<Refusal | undefined> => {
    const idempotencyKey = crypto.randomUUID();
    for (;;) {
      const refusal = await send({ idempotencyKey });
      if (refusal?.isLost !== true || isOnline() || !isOpen.current) return refusal;
      setAway(true);
      await whenOnline();
      setAway(false);
      if (!isOpen.current) return refusal;
    }
  };
  const trySend = async (validateOnly: boolean): Promise<boolean> => {
    setPending((count) => count + 1);
    const number = ++asked.current;
    const refusal = validateOnly ? await send({ validateOnly }) : await save();
    if (!isOpen.current) return false;
    setPending((count) => count - 1);
    if (number === asked.current) setAnswer({ of: text, refusal });
    return refusal === undefined;
  };
  return {
    isBusy: pending > 0,
    isSaving,
    isAway,
    isAccepted: now !== undefined && now.refusal === undefined,
    refusal: now?.refusal,
    problems: (now?.refusal?.problems ?? []).filter(
      ({ path }) => isAsked || [...visited].some((each) => path === each || path.startsWith(`${each}.`)),
    ),
    leave: (path) => {
      setLeft((before) => new Set([...before, path]));
      if (isReady && now === undefined && !isSaving) void trySend(true);
    },
    ask: async (validateOnly) => {
      // The answer of a request that saves counts, and until then nothing is sent again.
      if (isSaving) return false;
      setAsked(true);
      setSaving(!validateOnly);
      const isTaken = await trySend(validateOnly);
      setSaving(false);
      return isTaken;
    },
  };
}
