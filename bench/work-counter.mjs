/**
 * Counts what a process writes to SQLite: rows and index entries (by temporary triggers on every table), statements and commits. Times on
 * a busy machine scatter by a third; these numbers do not.
 *
 * An update of a row counts one row, and for each index that has one of the columns it sets, one entry removed and one written: so
 * SQLite works, whether the values differ or not.
 */

/**
 * Watches the connections that are opened from now on.
 * @param Database better-sqlite3, the module that the measured code uses
 */
export function watchConnections(Database) {
  const connections = new Set();
  const counted = new Map();
  let statements = 0;
  let commits = 0;

  const { prepare } = Database.prototype;
  Database.prototype.prepare = function prepareAndNote(...args) {
    connections.add(this);
    return Reflect.apply(prepare, this, args);
  };
  const anyDatabase = new Database(":memory:");
  const statement = Object.getPrototypeOf(Reflect.apply(prepare, anyDatabase, ["SELECT 1"]));
  const originals = {};
  const changesAtCommit = new Map();
  /** A reader's transaction writes nothing and waits for no disk. */
  const hasWritten = (connection) => {
    const select = Reflect.apply(prepare, connection, ["SELECT total_changes() AS changes"]);
    const { changes } = Reflect.apply(originals.get, select, []);
    const isMore = changes > (changesAtCommit.get(connection) ?? 0);
    changesAtCommit.set(connection, changes);
    return isMore;
  };
  for (const name of ["run", "get", "all", "iterate"]) {
    const original = statement[name];
    originals[name] = original;
    statement[name] = function count(...args) {
      statements += 1;
      const result = Reflect.apply(original, this, args);
      if (this.source === "COMMIT" && hasWritten(this.database)) {
        commits += 1;
      }
      return result;
    };
  }

  return {
    /** Leaves the module as it was. */
    end() {
      Database.prototype.prepare = prepare;
      Object.assign(statement, originals);
      anyDatabase.close();
    },
    /** Counts from now on, on each connection that can write and has tables. */
    begin() {
      for (const connection of connections) {
        if (connection.open && !connection.readonly && connection !== anyDatabase) {
          counted.set(connection, installCounters(connection, prepare));
        }
      }
      statements = 0;
      commits = 0;
    },
    read() {
      const tables = {};
      const total = { statements, commits, rows: 0, entries: 0 };
      for (const [connection, kinds] of counted) {
        const rows = Reflect.apply(prepare, connection, ["SELECT id, n FROM temp.work_count WHERE n > 0"]).all();
        for (const { id, n } of rows) {
          const { table, kind } = kinds[id];
          tables[table] ??= { insert: 0, update: 0, delete: 0, entries: 0 };
          tables[table][kind] += n;
          total[kind === "entries" ? "entries" : "rows"] += n;
        }
      }
      return { ...total, tables };
    },
  };
}

/** @returns of each counter what it counts */
function installCounters(db, prepare) {
  const all = (sql, ...values) => Reflect.apply(prepare, db, [sql]).all(...values);
  const kinds = [];
  const counter = (table, kind) => kinds.push({ table, kind }) - 1;
  const add = (id, when = "1") => `UPDATE work_count SET n = n + 1 WHERE id = ${id} AND (${when});`;
  const triggers = [];
  const tables = all("SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'");
  for (const { name: table, sql } of tables) {
    const columns = all("SELECT name FROM pragma_table_xinfo(?)", table).map(({ name }) => name);
    const withoutRowid = /WITHOUT\s+ROWID/i.test(sql);
    const on = (event, body) =>
      triggers.push(
        `CREATE TEMP TRIGGER work_${triggers.length} AFTER ${event} ON main."${table}" BEGIN ${body.join(" ")} END`,
      );
    const indexes = all(
      "SELECT l.name, l.origin, l.partial, s.sql FROM pragma_index_list(?) l LEFT JOIN sqlite_schema s ON s.name = l.name",
      table,
    ).filter(({ origin }) => !(withoutRowid && origin === "pk"));
    const entries = counter(table, "entries");
    const inserts = [];
    const deletes = [];
    for (const index of indexes) {
      const where = index.partial ? (/\sWHERE\s+([\s\S]+)$/i.exec(index.sql)?.[1] ?? "1") : null;
      const isIn = (row) => (where === null ? "1" : isInPartial(row, columns, where));
      inserts.push(add(entries, isIn("NEW")));
      deletes.push(add(entries, isIn("OLD")));
      const used = index.sql === null ? autoColumns(all, index) : columns.filter((one) => mentions(index.sql, one));
      if (used.length > 0) {
        const of = used.map((column) => `"${column}"`).join(", ");
        on(`UPDATE OF ${of}`, [add(entries, isIn("OLD")), add(entries, isIn("NEW"))]);
      }
    }
    on("INSERT", [add(counter(table, "insert")), ...inserts]);
    on("UPDATE", [add(counter(table, "update"))]);
    on("DELETE", [add(counter(table, "delete")), ...deletes]);
  }
  db.exec("CREATE TEMP TABLE work_count (id INTEGER PRIMARY KEY, n INTEGER NOT NULL)");
  for (const id of kinds.keys()) {
    db.exec(`INSERT INTO temp.work_count VALUES (${id}, 0)`);
  }
  for (const trigger of triggers) {
    db.exec(trigger);
  }
  return kinds;
}

/** The columns of an index that a constraint made: it has no text. */
function autoColumns(all, index) {
  return all("SELECT name FROM pragma_index_info(?)", index.name).map(({ name }) => name);
}

function mentions(sql, column) {
  return new RegExp(`(?<![A-Za-z0-9_])${column}(?![A-Za-z0-9_])`, "i").test(sql.replace(/^[\s\S]*?\(/, "("));
}

function isInPartial(row, columns, where) {
  const values = columns.map((column) => `${row}."${column}" AS "${column}"`).join(", ");
  return `EXISTS (SELECT 1 FROM (SELECT ${values}) WHERE ${where})`;
}
