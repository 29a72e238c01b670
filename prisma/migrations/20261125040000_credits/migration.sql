-- A dimension bills what was used, or gives back: then its amounts are negative. It is of one kind for good.
ALTER TABLE "billing_dimension" ADD COLUMN "kind" TEXT NOT NULL DEFAULT 'usage' CHECK ("kind" IN ('usage', 'credit'));
