-- Where a region is, when its configuration says so. Without it the position follows from its location and country.
ALTER TABLE "region"
    ADD COLUMN "latitude" DOUBLE PRECISION,
    ADD COLUMN "longitude" DOUBLE PRECISION,
    ADD CONSTRAINT "region_position_check" CHECK (("latitude" IS NULL) = ("longitude" IS NULL)),
    ADD CONSTRAINT "region_latitude_check" CHECK ("latitude" BETWEEN -90 AND 90),
    ADD CONSTRAINT "region_longitude_check" CHECK ("longitude" BETWEEN -180 AND 180);
