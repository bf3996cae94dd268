CREATE TABLE vehicles (vin text PRIMARY KEY, mileage_km integer NOT NULL, last_inspection date, insured_until date, out_of_service boolean NOT NULL);
CREATE TABLE drivers (driver_id integer PRIMARY KEY, licence_class text CHECK (licence_class IN ('B','C','CE')), hours_this_week integer NOT NULL, points integer);
CREATE TABLE trips (id integer PRIMARY KEY, vin text, driver_id integer, started_at timestamptz, distance_km numeric(8,1), fuel_cost_cents integer);
