import { resolve } from 'node:path';
import { z } from 'zod';
import { defineCommand, described, UsageError } from './command.js';
import type { Command } from './command.js';

export const backupCommands: Command[] = [
  defineCommand({
    name: 'backup',
    summary: 'Back up the embedded database into one file, while the gateway runs or not. It holds every secret.',
    argument: 'file',
    input: z.object({
      file: described(
        z
          .string()
          .min(1)
          .refine((file) => file !== '-', 'must be the name of a new file'),
        'FILE',
        'A new file, a compressed tar such as monday.tar.gz, for its owner alone to read.',
      ),
    }),
    run: async (admin, { file }, print) => {
      if (admin.backUp === undefined) {
        throw new UsageError('backup is for the embedded database; for a server there is pg_dump (docs/operations.md)');
      }
      const { createdAt, bytes, files } = await admin.backUp(resolve(admin.folder, file), admin.now());
      const mebibytes = (bytes / 1024 / 1024).toFixed(1);
      print.done(`Backed up ${mebibytes} MiB in ${files} files into ${file}.`, {
        file,
        createdAt,
        bytes: String(bytes),
      });
    },
  }),
];
