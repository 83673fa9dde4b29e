INSERT INTO session (row, id, tool, native, path, cwd, model, created_at, last_at, tokens, messages, compactions, seen_at)
VALUES (1, 'claude-code:one', 'claude-code', 'one', '/transcripts/one.jsonl', '/home/x', 'm', 10, 12, 40, 2, 1, 15);
INSERT INTO source VALUES ('/transcripts/one.jsonl', 1, '{"v":1}', '{"r":1}', 'bytes', 500, 400, 2, NULL, 15);
INSERT INTO message VALUES (1, 1, 1, 'k1', 10, 'human.typed', 'proved', 1, 0, NULL, 't1', 0, 120, '{"images":1}', 'Build it.');
INSERT INTO message
VALUES (2, 1, 2, 'k2', 12, 'human.queued', 'inferred', 0, 1, 'claude-code:zero#7', NULL, 120, 80, NULL, 'And test it.');
INSERT INTO operation VALUES (1, 1, 'call', 2, 'edit', 'Edit', 11, 12, 'done', 'f.py', '{"old":"x"}', 'fine');
INSERT INTO usage VALUES (1, 'u1', 2, 12, 900, 'm');
INSERT INTO boundary VALUES (1, 1, 'c1', 2, 13, 'auto', 900, 40);
INSERT INTO gap VALUES (1, 'torn', '', 3);
INSERT INTO checkpoint
VALUES (1, 4, 16, 'agent', 'threshold', 2, 'ABC123', 'digest', '{"mind":1,"memo":2,"scene":3,"total":6}',
        '[{"part":"scene","fault":"no block","fallback":"extractive"}]', 'mind', 'memo', 'scene');
INSERT INTO delivery VALUES (1, 'claude-code:one', 'claude-code:one', 4, 'ABC123', 20, 'SessionStart', 2, 1, 0);
INSERT INTO receipt VALUES (1, 'claude-code:one', 1, 4, 1, 2, '', 21, NULL, 'SessionStart');
INSERT INTO receipt VALUES (2, 'claude-code:one', 1, 4, 2, 2, 'ABC123', 21, 'claude-code:one', 'SessionStart');
INSERT INTO meta VALUES ('runs', '5');
