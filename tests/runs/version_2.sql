-- A store as version 2 of the file was: one run that is complete.
PRAGMA application_id = 1263092314;
CREATE TABLE runs (
    id INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, config TEXT NOT NULL, command TEXT NOT NULL,
    version TEXT NOT NULL, started REAL NOT NULL, ended REAL, status TEXT NOT NULL, pid INTEGER, host TEXT, figures TEXT,
    asked INTEGER, done INTEGER NOT NULL DEFAULT 0, seconds REAL NOT NULL DEFAULT 0, reason TEXT NOT NULL DEFAULT ''
);
CREATE TABLE units (
    run INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE, part INTEGER NOT NULL, first INTEGER NOT NULL,
    count INTEGER NOT NULL, payload BLOB NOT NULL, PRIMARY KEY (run, part, first)
);
CREATE TABLE faults (
    run INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE, part INTEGER NOT NULL, game INTEGER NOT NULL,
    bot TEXT NOT NULL, seat INTEGER NOT NULL, kind TEXT NOT NULL, what TEXT NOT NULL, position TEXT NOT NULL, reproduce TEXT NOT NULL
);
CREATE INDEX faults_of_runs ON faults (run, part, game);
CREATE TABLE games (
    run INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE, part INTEGER NOT NULL, game INTEGER NOT NULL, text TEXT NOT NULL
);
CREATE INDEX games_of_runs ON games (run, part, game);
INSERT INTO runs VALUES (
    1, 'demo', '{"seed": 5}', 'kibitz demo', '0.1.0', 1000.0, 1012.5, 'complete', 77, 'somewhere', '{"wins": 3}', 30, 30, 12.5, ''
);
INSERT INTO units VALUES (1, 0, 0, 30, x'01');
PRAGMA user_version = 2;
