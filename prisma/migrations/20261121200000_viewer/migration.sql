-- Alone in its file: a value that is added to an enum can be used by later transactions only.
ALTER TYPE "role" ADD VALUE 'viewer';
