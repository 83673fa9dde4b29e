INSERT INTO session (row, id, tool, native, path, model, created_at, last_at, tokens, usage_key, messages, compactions, seen_at)
VALUES (1, 'claude-code:one', 'claude-code', 'one', '/transcripts/one.jsonl', 'm', 1, 36, 900, 'u1', 36, 0, 1000000);
INSERT INTO session (row, id, tool, native, path, created_at, last_at, messages, compactions, seen_at)
VALUES (2, 'claude-code:two', 'claude-code', 'two', '/transcripts/two.jsonl', 1, 50, 2, 0, 1000000);
INSERT INTO source (row, path, session, cursor, reader, unit, size, offset, number, seen_at)
VALUES (1, '/transcripts/one.jsonl', 1, 'cursor', 'reader', 'bytes', 100, 100, 36, 1000000);
INSERT INTO source (row, path, session, cursor, reader, unit, size, offset, number, seen_at)
VALUES (2, '/transcripts/two.jsonl', 2, 'cursor', 'reader', 'bytes', 100, 100, 2, 1000000);
INSERT INTO message (id, session, number, key, at, channel, grade, withdrawn, undelivered, offset, length, text, pack)
VALUES (1, 1, 1, 'k1', 1, 'agent.text', 'proved', 0, 0, 0, 1, '', 1);
INSERT INTO message (id, session, number, key, at, channel, grade, withdrawn, undelivered, offset, length, text, pack)
VALUES (2, 1, 2, 'k2', 2, 'tool.result', 'proved', 0, 0, 0, 1, '', 1);
INSERT INTO message (id, session, number, key, at, channel, grade, withdrawn, undelivered, turn, offset, length, text)
VALUES (3, 1, 3, 'k3', 3, 'human.typed', 'proved', 0, 0, 't', 0, 1, 'entry 3: 用SQLite存储');
INSERT INTO message (id, session, number, key, at, channel, grade, withdrawn, undelivered, offset, length, text, pack)
VALUES (4, 1, 4, 'k4', 4, 'agent.text', 'proved', 0, 0, 0, 1, '', 1);
INSERT INTO message (id, session, number, key, at, channel, grade, withdrawn, undelivered, offset, length, text, pack)
VALUES (5, 1, 5, 'k5', 5, 'tool.result', 'proved', 0, 0, 0, 1, '', 1);
INSERT INTO message (id, session, number, key, at, channel, grade, withdrawn, undelivered, offset, length, text)
VALUES (6, 1, 6, 'k6', 6, 'human.typed', 'proved', 0, 0, 0, 1, 'entry 6: 用SQLite存储');
INSERT INTO message (id, session, number, key, at, channel, grade, withdrawn, undelivered, offset, length, text, pack)
VALUES (7, 1, 7, 'k7', 7, 'agent.text', 'proved', 0, 0, 0, 1, '', 1);
INSERT INTO message (id, session, number, key, at, channel, grade, withdrawn, undelivered, offset, length, text, pack)
VALUES (8, 1, 8, 'k8', 8, 'tool.result', 'proved', 0, 0, 0, 1, '', 1);
INSERT INTO message (id, session, number, key, at, channel, grade, withdrawn, undelivered, turn, offset, length, text)
VALUES (9, 1, 9, 'k9', 9, 'human.typed', 'proved', 0, 0, 't', 0, 1, 'entry 9: 用SQLite存储');
INSERT INTO message (id, session, number, key, at, channel, grade, withdrawn, undelivered, offset, length, text, pack)
VALUES (10, 1, 10, 'k10', 10, 'agent.text', 'proved', 0, 0, 0, 1, '', 1);
INSERT INTO message (id, session, number, key, at, channel, grade, withdrawn, undelivered, offset, length, text, pack)
VALUES (11, 1, 11, 'k11', 11, 'tool.result', 'proved', 0, 0, 0, 1, '', 1);
INSERT INTO message (id, session, number, key, at, channel, grade, withdrawn, undelivered, offset, length, text)
VALUES (12, 1, 12, 'k12', 12, 'human.typed', 'proved', 0, 0, 0, 1, 'entry 12: 用SQLite存储');
INSERT INTO message (id, session, number, key, at, channel, grade, withdrawn, undelivered, offset, length, text, pack)
VALUES (13, 1, 13, 'k13', 13, 'agent.text', 'proved', 0, 0, 0, 1, '', 1);
INSERT INTO message (id, session, number, key, at, channel, grade, withdrawn, undelivered, offset, length, text, pack)
VALUES (14, 1, 14, 'k14', 14, 'tool.result', 'proved', 0, 0, 0, 1, '', 1);
INSERT INTO message (id, session, number, key, at, channel, grade, withdrawn, undelivered, turn, offset, length, extra, text)
VALUES (15, 1, 15, 'k15', 15, 'human.typed', 'proved', 0, 0, 't', 0, 1, '{"n":15}', 'entry 15: 用SQLite存储');
INSERT INTO message (id, session, number, key, at, channel, grade, withdrawn, undelivered, offset, length, text, pack)
VALUES (16, 1, 16, 'k16', 16, 'agent.text', 'proved', 0, 0, 0, 1, '', 1);
INSERT INTO message (id, session, number, key, at, channel, grade, withdrawn, undelivered, offset, length, text, pack)
VALUES (17, 1, 17, 'k17', 17, 'tool.result', 'proved', 0, 0, 0, 1, '', 1);
INSERT INTO message (id, session, number, key, at, channel, grade, withdrawn, undelivered, offset, length, text)
VALUES (18, 1, 18, 'k18', 18, 'human.typed', 'proved', 0, 0, 0, 1, 'entry 18: 用SQLite存储');
INSERT INTO message (id, session, number, key, at, channel, grade, withdrawn, undelivered, offset, length, text, pack)
VALUES (19, 1, 19, 'k19', 19, 'agent.text', 'proved', 0, 0, 0, 1, '', 1);
INSERT INTO message (id, session, number, key, at, channel, grade, withdrawn, undelivered, offset, length, text, pack)
VALUES (20, 1, 20, 'k20', 20, 'tool.result', 'proved', 0, 0, 0, 1, '', 1);
INSERT INTO message (id, session, number, key, at, channel, grade, withdrawn, undelivered, turn, offset, length, text)
VALUES (21, 1, 21, 'k21', 21, 'human.typed', 'proved', 0, 0, 't', 0, 1, 'entry 21: 用SQLite存储');
INSERT INTO message (id, session, number, key, at, channel, grade, withdrawn, undelivered, offset, length, text, pack)
VALUES (22, 1, 22, 'k22', 22, 'agent.text', 'proved', 0, 0, 0, 1, '', 1);
INSERT INTO message (id, session, number, key, at, channel, grade, withdrawn, undelivered, offset, length, text, pack)
VALUES (23, 1, 23, 'k23', 23, 'tool.result', 'proved', 0, 0, 0, 1, '', 1);
INSERT INTO message (id, session, number, key, at, channel, grade, withdrawn, undelivered, offset, length, text)
VALUES (24, 1, 24, 'k24', 24, 'human.typed', 'proved', 0, 0, 0, 1, 'entry 24: 用SQLite存储');
INSERT INTO message (id, session, number, key, at, channel, grade, withdrawn, undelivered, offset, length, text, pack)
VALUES (25, 1, 25, 'k25', 25, 'agent.text', 'proved', 0, 0, 0, 1, '', 1);
INSERT INTO message (id, session, number, key, at, channel, grade, withdrawn, undelivered, offset, length, text, pack)
VALUES (26, 1, 26, 'k26', 26, 'tool.result', 'proved', 0, 0, 0, 1, '', 1);
INSERT INTO message (id, session, number, key, at, channel, grade, withdrawn, undelivered, turn, offset, length, text)
VALUES (27, 1, 27, 'k27', 27, 'human.typed', 'proved', 0, 0, 't', 0, 1, 'entry 27: 用SQLite存储');
INSERT INTO message (id, session, number, key, at, channel, grade, withdrawn, undelivered, offset, length, text, pack)
VALUES (28, 1, 28, 'k28', 28, 'agent.text', 'proved', 0, 0, 0, 1, '', 1);
INSERT INTO message (id, session, number, key, at, channel, grade, withdrawn, undelivered, offset, length, text, pack)
VALUES (29, 1, 29, 'k29', 29, 'tool.result', 'proved', 0, 0, 0, 1, '', 1);
INSERT INTO message (id, session, number, key, at, channel, grade, withdrawn, undelivered, offset, length, extra, text)
VALUES (30, 1, 30, 'k30', 30, 'human.typed', 'proved', 0, 0, 0, 1, '{"n":30}', 'entry 30: 用SQLite存储');
INSERT INTO message (id, session, number, key, at, channel, grade, withdrawn, undelivered, offset, length, text, pack)
VALUES (31, 1, 31, 'k31', 31, 'agent.text', 'proved', 0, 0, 0, 1, '', 1);
INSERT INTO message (id, session, number, key, at, channel, grade, withdrawn, undelivered, offset, length, text, pack)
VALUES (32, 1, 32, 'k32', 32, 'tool.result', 'proved', 0, 0, 0, 1, '', 1);
INSERT INTO message (id, session, number, key, at, channel, grade, withdrawn, undelivered, turn, offset, length, text)
VALUES (33, 1, 33, 'k33', 33, 'human.typed', 'proved', 0, 0, 't', 0, 1, 'entry 33: 用SQLite存储');
INSERT INTO message (id, session, number, key, at, channel, grade, withdrawn, undelivered, offset, length, text)
VALUES (34, 1, 34, 'k34', 34, 'agent.text', 'proved', 0, 0, 0, 1, 'entry 34: 用SQLite存储');
INSERT INTO message (id, session, number, key, at, channel, grade, withdrawn, undelivered, turn, offset, length, extra, text)
VALUES (35, 1, 35, 'k35', 35, 'tool.result', 'proved', 0, 0, 't', 0, 1, '{"n":35}', 'entry 35: 用SQLite存储');
INSERT INTO message (id, session, number, key, at, channel, grade, withdrawn, undelivered, offset, length, text)
VALUES (36, 1, 36, 'k36', 36, 'human.typed', 'proved', 0, 0, 0, 1, 'entry 36: 用SQLite存储');
INSERT INTO message (id, session, number, key, at, channel, grade, withdrawn, undelivered, copy_of, offset, length, text)
VALUES (37, 2, 1, 'k1', 1, 'human.typed', 'proved', 0, 0, 'claude-code:one#1', 0, 1, 'entry 1: 用SQLite存储');
INSERT INTO message (id, session, number, key, at, channel, grade, withdrawn, undelivered, offset, length, text)
VALUES (38, 2, 2, 'own', 50, 'agent.text', 'proved', 0, 0, 0, 1, 'text of own');
INSERT INTO pack (id, session, first, entries)
VALUES (1, 1, 1, X'785e8b3632d101a2bcd29c1c108d8d69aa63640a55404d26d84a04618ec446885a601545d34a4839518618a2db0415a08f782c576a5e4951a582a195c2f3292b82037d324b529fae9df1b4690544dc0887b8090e71531ce2e638c42d70881b1ae092c0e55243635c3a70b9d5d00c970e5cae35b4c4154cb89c6b842b008d7039d70857101ae172ae11ae4034c2e55c635c81688ce9dc6aa53c252bd35a30656800a18d60b4696d09020000f6db8f8c');
INSERT INTO operation (id, session, call, number, kind, name, at, ended_at, state, target, detail, result, journalled)
VALUES (1, 1, 'c1', 1, 'read', 'Edit', 1, 1, 'failed', 'src/file 1.py', '{"exit":1}', '6', 0);
INSERT INTO operation (id, session, call, number, kind, name, at, ended_at, state, target, detail, result, journalled)
VALUES (2, 1, 'c2', 2, 'edit', 'Edit', 2, 2, 'done', 'src/file 2.py', '{"exit":0}', '6', 0);
INSERT INTO operation (id, session, call, number, kind, name, at, ended_at, state, target, detail, result, journalled)
VALUES (3, 1, 'c3', 3, 'command', 'Edit', 3, 3, 'failed', 'src/file 3.py', '{"exit":1}', '6', 0);
INSERT INTO operation (id, session, call, number, kind, name, at, ended_at, state, target, detail, result, journalled)
VALUES (4, 1, 'c4', 4, 'read', 'Edit', 4, 4, 'done', 'src/file 4.py', '{"exit":0}', 'own words 4', 0);
INSERT INTO operation (id, session, call, number, kind, name, at, ended_at, state, target, detail, result, journalled)
VALUES (5, 1, 'c5', 5, 'edit', 'Edit', 5, 5, 'failed', 'src/file 5.py', '{"exit":1}', '6', 0);
INSERT INTO operation (id, session, call, number, kind, name, at, ended_at, state, target, detail, result, journalled)
VALUES (6, 1, 'c6', 6, 'command', 'Edit', 6, 6, 'done', 'src/file 6.py', '{"exit":0}', '6', 0);
INSERT INTO operation (id, session, call, number, kind, name, at, ended_at, state, target, detail, result, journalled)
VALUES (7, 1, 'c7', 7, 'read', 'Edit', 7, 7, 'failed', 'src/file 7.py', '{"exit":1}', '6', 0);
INSERT INTO operation (id, session, call, number, kind, name, at, ended_at, state, target, detail, result, journalled)
VALUES (8, 1, 'c8', 8, 'edit', 'Edit', 8, 8, 'done', 'src/file 8.py', '{"exit":0}', 'own words 8', 0);
INSERT INTO operation (id, session, call, number, kind, name, at, ended_at, state, target, detail, result, journalled)
VALUES (9, 1, 'c9', 9, 'command', 'Edit', 9, 9, 'failed', 'src/file 9.py', '{"exit":1}', '6', 0);
INSERT INTO operation (id, session, call, number, kind, name, at, ended_at, state, target, detail, result, journalled)
VALUES (10, 1, 'c10', 10, 'read', 'Edit', 10, 10, 'done', 'src/file 10.py', '{"exit":0}', '6', 0);
INSERT INTO operation (id, session, call, number, kind, name, at, ended_at, state, target, detail, result, journalled)
VALUES (11, 1, 'c11', 11, 'edit', 'Edit', 11, 11, 'failed', 'src/file 11.py', '{"exit":1}', '6', 0);
INSERT INTO operation (id, session, call, number, kind, name, at, ended_at, state, target, detail, result, journalled)
VALUES (12, 1, 'c12', 12, 'command', 'Edit', 12, 12, 'done', 'src/file 12.py', '{"exit":0}', 'own words 12', 0);
INSERT INTO operation (id, session, call, number, kind, name, at, ended_at, state, target, detail, result, journalled)
VALUES (13, 1, 'c13', 13, 'read', 'Edit', 13, 13, 'failed', 'src/file 13.py', '{"exit":1}', '6', 0);
INSERT INTO operation (id, session, call, number, kind, name, at, ended_at, state, target, detail, result, journalled)
VALUES (14, 1, 'c14', 14, 'edit', 'Edit', 14, 14, 'done', 'src/file 14.py', '{"exit":0}', '6', 0);
INSERT INTO operation (id, session, call, number, kind, name, at, ended_at, state, target, detail, result, journalled)
VALUES (15, 1, 'c15', 15, 'command', 'Edit', 15, 15, 'failed', 'src/file 15.py', '{"exit":1}', '6', 0);
INSERT INTO operation (id, session, call, number, kind, name, at, ended_at, state, target, detail, result, journalled)
VALUES (16, 1, 'c16', 16, 'read', 'Edit', 16, 16, 'done', 'src/file 16.py', '{"exit":0}', 'own words 16', 0);
INSERT INTO operation (id, session, call, number, kind, name, at, ended_at, state, target, detail, result, journalled)
VALUES (17, 1, 'c17', 17, 'edit', 'Edit', 17, 17, 'failed', 'src/file 17.py', '{"exit":1}', '6', 0);
INSERT INTO operation (id, session, call, number, kind, name, at, ended_at, state, target, detail, result, journalled)
VALUES (18, 1, 'c18', 18, 'command', 'Edit', 18, 18, 'done', 'src/file 18.py', '{"exit":0}', '6', 0);
INSERT INTO operation (id, session, call, number, kind, name, at, ended_at, state, target, detail, result, journalled)
VALUES (19, 1, 'c19', 19, 'read', 'Edit', 19, 19, 'failed', 'src/file 19.py', '{"exit":1}', '6', 0);
INSERT INTO operation (id, session, call, number, kind, name, at, ended_at, state, target, detail, result, journalled)
VALUES (20, 1, 'c20', 20, 'edit', 'Edit', 20, 20, 'done', 'src/file 20.py', '{"exit":0}', 'own words 20', 0);
INSERT INTO operation (id, session, call, number, kind, name, at, ended_at, state, target, detail, result, journalled)
VALUES (21, 1, 'c21', 21, 'command', 'Edit', 21, 21, 'failed', 'src/file 21.py', '{"exit":1}', '6', 0);
INSERT INTO operation (id, session, call, number, kind, name, at, ended_at, state, target, detail, result, journalled)
VALUES (22, 1, 'c22', 22, 'read', 'Edit', 22, 22, 'done', 'src/file 22.py', '{"exit":0}', '6', 0);
INSERT INTO operation (id, session, call, number, kind, name, at, ended_at, state, target, detail, result, journalled)
VALUES (23, 1, 'c23', 23, 'edit', 'Edit', 23, 23, 'failed', 'src/file 23.py', '{"exit":1}', '6', 0);
INSERT INTO operation (id, session, call, number, kind, name, at, ended_at, state, target, detail, result, journalled)
VALUES (24, 1, 'c24', 24, 'command', 'Edit', 24, 24, 'done', 'src/file 24.py', '{"exit":0}', 'own words 24', 0);
INSERT INTO operation (id, session, call, number, kind, name, at, ended_at, state, target, detail, result, journalled)
VALUES (25, 1, 'c25', 25, 'read', 'Edit', 25, 25, 'failed', 'src/file 25.py', '{"exit":1}', '6', 0);
INSERT INTO operation (id, session, call, number, kind, name, at, ended_at, state, target, detail, result, journalled)
VALUES (26, 1, 'c26', 26, 'edit', 'Edit', 26, 26, 'done', 'src/file 26.py', '{"exit":0}', '6', 0);
INSERT INTO operation (id, session, call, number, kind, name, at, ended_at, state, target, detail, result, journalled)
VALUES (27, 1, 'c27', 27, 'command', 'Edit', 27, 27, 'failed', 'src/file 27.py', '{"exit":1}', '6', 0);
INSERT INTO operation (id, session, call, number, kind, name, at, ended_at, state, target, detail, result, journalled)
VALUES (28, 1, 'c28', 28, 'read', 'Edit', 28, 28, 'done', 'src/file 28.py', '{"exit":0}', 'own words 28', 0);
INSERT INTO operation (id, session, call, number, kind, name, at, ended_at, state, target, detail, result, journalled)
VALUES (29, 1, 'c29', 29, 'edit', 'Edit', 29, 29, 'failed', 'src/file 29.py', '{"exit":1}', '6', 0);
INSERT INTO operation (id, session, call, number, kind, name, at, ended_at, state, target, detail, result, journalled)
VALUES (30, 1, 'c30', 30, 'command', 'Edit', 30, 30, 'done', 'src/file 30.py', '{"exit":0}', '6', 0);
INSERT INTO operation (id, session, call, number, kind, name, at, ended_at, state, target, detail, result, journalled)
VALUES (31, 1, 'c31', 31, 'read', 'Edit', 31, 31, 'failed', 'src/file 31.py', '{"exit":1}', '6', 0);
INSERT INTO operation (id, session, call, number, kind, name, at, ended_at, state, target, detail, result, journalled)
VALUES (32, 1, 'c32', 32, 'edit', 'Edit', 32, 32, 'done', 'src/file 32.py', '{"exit":0}', 'own words 32', 0);
INSERT INTO operation (id, session, call, number, kind, name, at, ended_at, state, target, detail, result, journalled)
VALUES (33, 1, 'c33', 33, 'command', 'Edit', 33, 33, 'failed', 'src/file 33.py', '{"exit":1}', '6', 0);
INSERT INTO operation (id, session, call, number, kind, name, at, ended_at, state, target, detail, result, journalled)
VALUES (34, 1, 'c34', 34, 'read', 'Edit', 34, 34, 'done', 'src/file 34.py', '{"exit":0}', '6', 0);
INSERT INTO operation (id, session, call, number, kind, name, at, ended_at, state, target, detail, result, journalled)
VALUES (35, 1, 'c35', 35, 'edit', 'Edit', 35, 35, 'failed', 'src/file 35.py', '{"exit":1}', '6', 0);
INSERT INTO operation (id, session, call, number, kind, name, at, ended_at, state, target, detail, result, journalled)
VALUES (36, 1, 'c36', 36, 'command', 'Edit', 36, 36, 'done', 'src/file 36.py', '{"exit":0}', 'own words 36', 0);
INSERT INTO operation (id, session, call, number, kind, name, at, state, target, detail, result, journalled)
VALUES (37, 1, 'late', 36, 'command', 'Edit', 40, 'background', 'make', '{"job":"j1"}', '', 0);
INSERT INTO usage (session, key, number, at, tokens, model)
VALUES (1, 'u1', 36, 40, 900, 'm');
