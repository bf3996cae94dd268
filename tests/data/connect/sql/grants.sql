CREATE TABLE grant_application (
  application_no varchar(20) PRIMARY KEY, requested_amount decimal(12,2) NOT NULL, awarded_amt decimal(12,2),
  submitted_on date NOT NULL, review_score numeric(4,2), ethics_cleared boolean NOT NULL,
  phase varchar(20) CHECK (phase IN ('submitted','under_review','awarded','declined')));
CREATE TABLE institution (ror_id text PRIMARY KEY, name text, accredited boolean, country char(2));
