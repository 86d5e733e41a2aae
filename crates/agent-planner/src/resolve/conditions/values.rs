//! Conditions on values: the column of each, and the way from the rows of the question to it.

use super::*;

impl Resolver<'_> {
    /// Places a value on the column that has it: of the table itself, otherwise of the other table
    /// that has it, or of the one that a person chooses.
    pub(in crate::resolve) fn place_value(
        &self,
        links: &[ValueLink],
        scope: usize,
        table: usize,
        wish: &Wish,
    ) -> Step<(Vec<Hop>, ValueLink)> {
        let word = wish.word.as_str();
        let absorbed: Vec<&ValueLink> = links
            .iter()
            .filter(|link| {
                self.draft
                    .absorbed
                    .iter()
                    .any(|(ids, _)| ids.contains(&link.column))
            })
            .collect();
        let is_absorbed = !absorbed.is_empty();
        let mut links: Vec<&ValueLink> = match is_absorbed {
            true => absorbed,
            false => links.iter().collect(),
        };
        // Spellings of one value in one column are one.
        links.dedup_by_key(|link| link.column);
        if let Some(found) = self.by_role(&links, scope, table)? {
            return Ok(found);
        }
        let own: Vec<&ValueLink> = links
            .iter()
            .copied()
            .filter(|link| link.column.table == table)
            .collect();
        if let Some(link) = self.require_evidence(&links, table, word)? {
            return Ok((self.path_to(table, &link)?, link));
        }
        let beside = |links: &[&ValueLink]| -> Vec<ValueLink> {
            let links = links.iter().filter(|_| !is_absorbed);
            let found = links.flat_map(|link| self.beside_qualified(link, table, wish));
            found.collect()
        };
        let plain = beside(&own);
        match own.as_slice() {
            [one] if plain.is_empty() => return self.own_value(one, &links, word),
            [] => {}
            _ => {
                let link = self.one_value(&own, &plain, word)?;
                return Ok((self.path_to(table, &link)?, link));
            }
        }
        let via = self
            .draft
            .scopes
            .get(scope)
            .map_or_else(Via::default, |scope| scope.via.clone());
        let mut found: Vec<(usize, &ValueLink)> = Vec::new();
        for link in links.iter().copied() {
            let ways = self.relations.ways(table, link.column.table, &via);
            let shortest = ways.paths().iter().map(Vec::len).min();
            found.extend(shortest.map(|steps| (steps, link)));
        }
        found.sort_by_key(|(steps, _)| *steps);
        let Some((nearest, first)) = found.first().copied() else {
            return Err(self.unreachable(&links, table, word));
        };
        // A key and the column that it leads to are one.
        let leads_on = |link: &ValueLink| {
            let ways = self.relations.ways(table, link.column.table, &via);
            let joins = |hop: &Hop| {
                let edge = self.relations.edges.get(hop.edge);
                edge.is_some_and(|edge| edge.joins(first.column, link.column))
            };
            ways.paths().iter().all(|path| path.iter().any(joins))
        };
        let fits = |(steps, link): &&(usize, &ValueLink)| *steps == nearest || !leads_on(link);
        let fitting: Vec<&ValueLink> = found.iter().filter(fits).map(|(_, link)| *link).collect();
        let plain = beside(&fitting);
        let link = match (fitting.as_slice(), plain.as_slice()) {
            ([only], []) => {
                let path = self.way(table, only.column.table, &via)?;
                self.one_of_kind(table, &path, only, word)?
            }
            _ => self.one_value(&fitting, &plain, word)?,
        };
        let path = self.way(table, link.column.table, &via)?;
        self.require_way(table, &path, word)?;
        Ok((path, link))
    }

    /// Asks back for `cars of Ann`, where only the values of other rows lead from cars to people,
    /// and cars have a `driver_id` of which nothing is known.
    ///
    /// # Errors
    /// The question back.
    fn require_way(&self, table: usize, path: &[Hop], word: &str) -> Step<()> {
        let guessed = path.iter().any(|hop| self.relations.is_by_values(*hop));
        let is_unknown = |id: &ColumnId| {
            let mut edges = self.relations.edges.iter();
            names_a_row(self.catalog(), *id) && !edges.any(|edge| edge.child == *id)
        };
        let end = path.last().and_then(|hop| self.relations.ends(*hop));
        let other = end.map_or(table, |(arrived, _)| arrived.table);
        let of_people = |table: usize| {
            let words = self.catalog().table(table).map(|view| &view.words);
            is_of_people(self.links, table)
                || words.is_some_and(|words| words.last().is_some_and(|last| does(last)))
        };
        let ends = [(table, other), (other, table)];
        let mut unknown = ends
            .into_iter()
            .filter(|(_, to)| of_people(*to))
            .flat_map(|(from, _)| self.catalog().ids(from))
            .filter(is_unknown);
        let unknown = unknown.next();
        let Some(key) = unknown.filter(|_| guessed && path.len() > 1) else {
            return Ok(());
        };
        let question = format!(
            "I do not know which rows {} refers to; rows of {} belong to {word:?} in another way; is that meant?",
            self.catalog().shown(key),
            self.catalog().table_name(table),
        );
        self.catalog().choose(question, &[()], |()| {
            self.relations.shown(self.catalog(), path)
        })
    }

    /// Returns the way from a table to the column of a value.
    fn path_to(&self, table: usize, link: &ValueLink) -> Step<Vec<Hop>> {
        match link.column.table == table {
            true => Ok(Vec::new()),
            false => self.way(table, link.column.table, &Via::default()),
        }
    }

    /// Asks back for `events in Oslo`, where rows belong to a client and to a place, both have a
    /// city, and only the client's is Oslo; and for `loans of Ann`, who is an author and no member.
    ///
    /// # Errors
    /// The question back.
    fn one_of_kind(
        &self,
        table: usize,
        path: &[Hop],
        link: &ValueLink,
        word: &str,
    ) -> Step<ValueLink> {
        let up = |path: &[Hop]| path.iter().all(|hop| !hop.down);
        let beside = |id: &ColumnId| {
            let ways = self.relations.ways(table, id.table, &Via::default());
            let is_near =
                matches!(ways, Ways::One(other) if other.len() == path.len() && up(&other));
            id.table != link.column.table && is_near
        };
        let alike = |id: &ColumnId| {
            self.catalog().holds(*id) == Holds::Text
                && self.same_kind(*id, link.column)
                && !self.is_label(*id)
                && !self.is_key(*id)
        };
        let tables = 0..self.catalog().tables.len();
        let all = tables.flat_map(|table| self.catalog().ids(table));
        let nearer = |id: &ColumnId| {
            let ways = self.relations.ways(table, id.table, &Via::default());
            let is_near =
                matches!(ways, Ways::One(other) if other.len() < path.len() && up(&other));
            let own = id.table == table || id.table == link.column.table;
            is_near && !own && self.is_label(*id) && is_of_people(self.links, id.table)
        };
        let is_person = self.is_label(link.column) && is_of_people(self.links, link.column.table);
        let mut others: Vec<ColumnId> = match (is_person, self.is_label(link.column)) {
            (true, _) => all.filter(nearer).collect(),
            (false, true) => Vec::new(),
            (false, false) => all.filter(|id| alike(id) && beside(id)).collect(),
        };
        if others.is_empty() || !up(path) {
            return Ok(link.clone());
        }
        others.push(link.column);
        let question = format!(
            "{word:?} is a value of {} only; which column is meant?",
            self.catalog().shown(link.column)
        );
        let shown = |id: &ColumnId| self.catalog().shown(*id);
        let column = self.catalog().choose(question, &others, shown)?;
        let stored = match column == link.column {
            true => link.stored.clone(),
            false => word.to_owned(),
        };
        Ok(ValueLink { column, stored })
    }

    /// Asks back where a row and one that it belongs to are called so: `salary of Bass`, a worker
    /// and a department; `invoices of Ann`, their contact and another user.
    fn own_value(
        &self,
        own: &ValueLink,
        links: &[&ValueLink],
        word: &str,
    ) -> Step<(Vec<Hop>, ValueLink)> {
        let table = own.column.table;
        let is_above = |link: &&&ValueLink| {
            link.column.table != table
                && self.is_label(link.column)
                && self.relations.leads_up(table, link.column.table)
                && !self.same_kind(own.column, link.column)
                && !self.is_key_of(own.column, link.column)
        };
        let mut names = vec![own];
        names.extend(links.iter().filter(is_above));
        let link = match names.as_slice() {
            [only] => (*only).clone(),
            _ => self.one_value(&names, &[], word)?,
        };
        Ok((self.path_to(table, &link)?, link))
    }

    /// Returns the row that the foreign key of the verb refers to: `managed by Karl Wolf`.
    ///
    /// # Errors
    /// A second name that nothing joins, of which the verb says nothing: `jobs of Ann inspected by
    /// Bob`.
    fn by_role(
        &self,
        links: &[&ValueLink],
        scope: usize,
        table: usize,
    ) -> Step<Option<(Vec<Hop>, ValueLink)>> {
        let Some(found) = self.draft.scopes.get(scope) else {
            return Ok(None);
        };
        let [edge] = found.via.edges.as_slice() else {
            return Ok(None);
        };
        let key = self.relations.edges.get(*edge);
        let Some(key) = key.filter(|key| key.child.table == table) else {
            return Ok(None);
        };
        let is_row = |link: &&ValueLink| link.column.table == key.parent.table;
        let mut rows = links.iter().copied().filter(is_row);
        let Some(link) = rows.next().filter(|_| rows.next().is_none()) else {
            return Ok(None);
        };
        let names_row = |wish: &&Wish| matches!(&wish.demand, Demand::Value(links) if links.iter().any(|link| is_row(&link)));
        let names = found.wishes.iter().filter(names_row);
        if let Some(second) = names
            .skip(1)
            .find(|wish| self.strict && wish.joiner == Joiner::None)
        {
            return Err(Stop::cannot(format!(
                "I do not see of which key {:?} is said; name the column, as in `whose {} is …`",
                second.word,
                self.relations.role(self.catalog(), *edge)
            )));
        }
        let hop = Hop {
            edge: *edge,
            down: false,
        };
        self.passed.borrow_mut().push(hop);
        Ok(Some((vec![hop], link.clone())))
    }
}
