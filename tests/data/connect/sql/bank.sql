CREATE TYPE account_status AS ENUM ('open', 'frozen', 'closed');
CREATE TABLE accounts (
  id bigint PRIMARY KEY, customer_id bigint NOT NULL REFERENCES customers(id),
  balance numeric(14,2) NOT NULL DEFAULT 0, status account_status NOT NULL,
  opened_at timestamptz NOT NULL DEFAULT now(), overdraft_limit numeric(14,2)
);
CREATE TABLE customers (id bigint PRIMARY KEY, full_name varchar(120) NOT NULL, kyc_verified boolean NOT NULL, date_of_birth date);
