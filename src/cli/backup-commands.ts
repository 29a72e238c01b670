import { resolve } from 'node:path';
import { z } from 'zod';
import { defineCommand, described, UsageError } from './command.js';
import type { Command } from './command.js';
import { isInterruption, nothingWritten } from './write-out.js';

export const backupCommands: Command[] = [
  defineCommand({
    name: 'backup',
    summary: 'Back up the embedded database to one file. The gateway may be running. The file contains all secrets.',
    argument: 'file',
    input: z.object({
      file: described(
        z
          .string()
          .min(1)
          .refine((file) => file !== '-', 'must be the path of a new file'),
        'FILE',
        'New file, such as monday.tar.gz (a compressed tar archive). Only you can read it.',
      ),
    }),
    run: async (admin, { file }, print) => {
      if (admin.backUp === undefined) {
        throw new UsageError(
          'backup: works only with the embedded database. For a PostgreSQL server, use pg_dump (docs/operations.md)',
        );
      }
      try {
        const { createdAt, bytes, files } = await admin.backUp(
          resolve(admin.folder, file),
          admin.now(),
          admin.interrupted,
        );
        const mebibytes = (bytes / 1024 / 1024).toFixed(1);
        print.done(`Backed up ${mebibytes} MiB in ${files} files into ${file}.`, {
          file,
          createdAt,
          bytes: String(bytes),
        });
      } catch (error) {
        if (!isInterruption(error)) throw error;
        print.problem(nothingWritten);
      }
    },
  }),
];
