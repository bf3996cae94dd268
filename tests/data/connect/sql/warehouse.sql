-- SQLite
CREATE TABLE IF NOT EXISTS "StockItem" ("ItemNo" TEXT NOT NULL, "Location" TEXT NOT NULL, "QtyOnHand" INTEGER NOT NULL, "ReorderLevel" INTEGER, "IsHazardous" INTEGER NOT NULL CHECK ("IsHazardous" IN (0,1)), PRIMARY KEY ("ItemNo", "Location"));
CREATE TABLE Supplier (SupplierCode TEXT PRIMARY KEY, Rating REAL, LeadTimeDays INTEGER, Approved TEXT CHECK (Approved IN ('Y','N')));
CREATE INDEX ix ON Supplier (Rating);
