CREATE TABLE lease (
  lease_no char(10) NOT NULL, tenant varchar(80), monthly_rent_cents integer NOT NULL,
  start_dt date NOT NULL, end_dt date, deposit_paid boolean DEFAULT false,
  state varchar(12) NOT NULL, CONSTRAINT lease_pk PRIMARY KEY (lease_no),
  CONSTRAINT lease_state CHECK (state IN ('draft','active','terminated'))
);
CREATE TABLE inspections (id serial PRIMARY KEY, lease_no char(10), done_at timestamp without time zone, defects int);
COMMENT ON COLUMN lease.tenant IS 'name of the tenant';
