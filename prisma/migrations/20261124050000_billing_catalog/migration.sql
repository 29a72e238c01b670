-- What the platform bills beside the specification's twelve dimensions and six resource types, which are in the program;
-- and prices, by which an event without a cost gets it. All of it is the platform's, and of no account.
CREATE TABLE "billing_dimension" (
    "name" TEXT COLLATE "C" NOT NULL,
    "unit" TEXT NOT NULL,
    "description" TEXT NOT NULL DEFAULT '',
    "resource_types" TEXT[] NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT now(),
    "retired_at" TIMESTAMPTZ(3),
    CONSTRAINT "billing_dimension_pkey" PRIMARY KEY ("name")
);

CREATE TABLE "billed_resource_type" (
    "name" TEXT COLLATE "C" NOT NULL,
    "description" TEXT NOT NULL DEFAULT '',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT now(),
    "retired_at" TIMESTAMPTZ(3),
    CONSTRAINT "billed_resource_type_pkey" PRIMARY KEY ("name")
);

-- From its time on, until the next one of its dimension. In pico-dollars for one unit.
CREATE TABLE "billing_price" (
    "billing_dimension" TEXT COLLATE "C" NOT NULL,
    "from" TIMESTAMPTZ(3) NOT NULL,
    "currency" TEXT NOT NULL,
    "unit_price" BIGINT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT now(),
    CONSTRAINT "billing_price_pkey" PRIMARY KEY ("billing_dimension", "from")
);
