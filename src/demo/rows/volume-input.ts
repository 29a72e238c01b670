import type { z } from 'zod';
import { insertionOf, resourceInput } from './insert-rows.js';
import { volumeSpec } from '../../resources/volumes/volume.js';

export const volumeInput = resourceInput.extend({ spec: volumeSpec });

export type VolumeInput = z.input<typeof volumeInput>;

export const insertVolumes = insertionOf('volume', volumeInput);
