//! Queries: their FROM, their conditions and the columns that they return.

use super::*;

impl<'a> Expansion<'a, '_> {
    pub(super) fn select(&mut self, select: &'a Select<'a>) -> Outline {
        if !self.rise() {
            return Outline {
                size: Size::ENDLESS,
                ..Outline::default()
            };
        }
        let scoped = self.enter(select.with.as_ref());
        let frames = self.frames.len();
        let mut outline = self.one_select(&select.body.select);
        // ORDER BY and LIMIT of a plain query use the same scope as its result columns.
        let last = select
            .order_by
            .unwrap_or_default()
            .iter()
            .map(|term| &term.expr)
            .chain(select.limit.iter().map(|limit| &limit.expr))
            .chain(
                select
                    .limit
                    .iter()
                    .filter_map(|limit| limit.offset.as_ref()),
            );
        let ordered = self.all(last);
        self.frames.truncate(frames);
        outline.size = outline.size.plus(ordered);
        for compound in select.body.compounds.iter().flatten() {
            let arm = self.one_select(&compound.select);
            self.frames.truncate(frames);
            outline = united(outline, arm);
        }
        self.leave(scoped);
        self.sink();
        outline
    }

    /// Counts one more level of the tree. Returns false if the tree is too high; then the level is
    /// not counted.
    pub(super) fn rise(&self) -> bool {
        let height = self.definitions.height();
        height.set(height.get() + 1);
        let fits = height.get() <= MAX_EXPANDED_HEIGHT;
        if !fits {
            self.sink();
        }
        fits
    }

    pub(super) fn sink(&self) {
        let height = self.definitions.height();
        height.set(height.get().saturating_sub(1));
    }

    /// Measures one SELECT. Leaves its frames open for ORDER BY; the caller closes them.
    pub(super) fn one_select(&mut self, select: &'a OneSelect<'a>) -> Outline {
        match select {
            OneSelect::Values(rows) => {
                let mut outline = Outline::default();
                for row in rows {
                    let mut columns = Columns::new();
                    for value in row {
                        let size = self.expression(value);
                        outline.size = outline.size.plus(size);
                        columns.push((String::new(), size));
                    }
                    outline.columns = largest(std::mem::take(&mut outline.columns), columns);
                }
                outline
            }
            OneSelect::Select {
                columns,
                from,
                where_clause,
                group_by,
                having,
                window_clause,
                ..
            } => {
                let (mut size, own, is_open) = match from {
                    Some(from) => self.from(from),
                    None => (Size::default(), Columns::new(), false),
                };
                self.open_frame(&own);
                // The ON of a join is measured with all of its tables in scope.
                if let Some(from) = from {
                    size = size.plus(self.conditions(from));
                }
                let mut outline = self.result(columns, &own, is_open);
                self.open_frame(&outline.columns);
                let clauses = where_clause
                    .iter()
                    .copied()
                    .chain(group_by.unwrap_or_default())
                    .chain(having.iter().copied());
                size = size.plus(self.all(clauses));
                for definition in window_clause.unwrap_or_default() {
                    let mut parts = Vec::new();
                    tree::window(&definition.window, &mut |part| parts.push(part));
                    size = size.plus(self.parts(parts));
                }
                outline.size = outline.size.plus(size);
                outline
            }
        }
    }

    /// Returns the columns of a result. `own` are the columns that `*` means.
    pub(super) fn result(
        &mut self,
        columns: &'a [ResultColumn<'a>],
        own: &Columns,
        is_open: bool,
    ) -> Outline {
        let mut outline = Outline::default();
        for column in columns {
            match column {
                ResultColumn::Expr(expression, alias) => {
                    let size = self.expression(expression);
                    outline.size = outline.size.plus(size);
                    outline
                        .columns
                        .push((column_name(expression, alias.as_ref()), size));
                }
                ResultColumn::Star | ResultColumn::TableStar(_) => {
                    self.written = self.written.plus(Size::PART);
                    outline.is_open |= is_open || matches!(column, ResultColumn::TableStar(_));
                    for (name, size) in own {
                        outline.size = outline.size.plus(*size);
                        outline.columns.push((name.clone(), *size));
                    }
                }
            }
        }
        // The engine refuses more columns before it replaces a name.
        outline.columns.truncate(MAX_COLUMNS);
        outline
    }

    /// Returns the size of a FROM, its columns, and true if it has others.
    pub(super) fn from(&mut self, from: &'a FromClause<'a>) -> (Size, Columns, bool) {
        let mut size = Size::default();
        let mut columns = Columns::new();
        let mut is_open = false;
        let tables = from
            .select
            .into_iter()
            .chain(from.joins.iter().flatten().map(|joined| &joined.table));
        for table in tables {
            let (one, found, open) = self.item(table);
            size = size.plus(one);
            columns.extend(found);
            is_open |= open;
        }
        (size, columns, is_open)
    }

    pub(super) fn item(&mut self, table: &'a SelectTable<'a>) -> (Size, Columns, bool) {
        match table {
            SelectTable::Table(name, ..) => self.name(name),
            SelectTable::TableCall(name, arguments, _) => {
                let (size, columns, _) = self.name(name);
                let arguments = self.all(arguments.unwrap_or_default());
                (size.plus(arguments), columns, true)
            }
            SelectTable::Select(select, _) => {
                self.written = self.written.plus(Size::REFERENCE);
                let outline = self.select(select);
                (
                    Size::REFERENCE.plus(outline.size),
                    outline.columns,
                    outline.is_open,
                )
            }
            SelectTable::Sub(inner, _) => {
                let (size, columns, is_open) = self.from(inner);
                self.open_frame(&columns);
                let conditions = self.conditions(inner);
                self.frames.pop();
                (size.plus(conditions), columns, is_open)
            }
        }
    }

    pub(super) fn conditions(&mut self, from: &'a FromClause<'a>) -> Size {
        let conditions =
            from.joins
                .iter()
                .flatten()
                .filter_map(|joined| match &joined.constraint {
                    Some(JoinConstraint::On(expression)) => Some(expression),
                    Some(JoinConstraint::Using(_)) | None => None,
                });
        self.all(conditions)
    }

    /// Returns the size and columns of a name in FROM or after IN.
    pub(super) fn name(&mut self, name: &QualifiedName<'a>) -> (Size, Columns, bool) {
        self.written = self.written.plus(Size::REFERENCE);
        let plain = unquote(name.name.0);
        let outline = match self.cte(name, &plain) {
            Some((scope, position)) => Some(self.body(scope, position)),
            None => {
                let found = self.definitions.relation(&plain);
                if let Some(outline) = &found {
                    self.blame_relation(&plain, outline);
                }
                found
            }
        };
        match outline {
            Some(outline) => (
                Size::REFERENCE.plus(outline.size),
                outline.columns.clone(),
                outline.is_open,
            ),
            None => (Size::REFERENCE, Columns::new(), true),
        }
    }

    pub(super) fn cte(&self, name: &QualifiedName<'a>, plain: &str) -> Option<(usize, usize)> {
        if name.db_name.is_some() || self.scopes.is_empty() {
            return None;
        }
        let plain = plain.to_ascii_lowercase();
        self.scopes
            .iter()
            .enumerate()
            .rev()
            .find_map(|(scope, found)| found.names.get(&plain).map(|position| (scope, *position)))
    }
}
