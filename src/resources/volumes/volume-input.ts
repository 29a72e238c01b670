import type { z } from 'zod';
import { insertionOf, resourceInput } from '../../store/write/resource-input.js';
import { volumeSpec } from './volume.js';

export const volumeInput = resourceInput.extend({ spec: volumeSpec });

export type VolumeInput = z.input<typeof volumeInput>;

export const insertVolumes = insertionOf('volume', volumeInput);
