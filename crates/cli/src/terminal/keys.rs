//! Handles keys. Every key is shown on the screen, in the last line or in the help.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::app::App;
use super::completion::{Completion, completions};
use super::draw::summary::selected_finding;
use super::flame::{Grid, Toward};
use super::requests;
use super::state::{Input, InputKind};
use super::tab::Tab;
use super::tree::{self, TreeRow};
use camlscope_engine::protocol::Answer;
use camlscope_engine::query::filter::{Clause, Filter, FrameField, FrameTest, NameTest, When, WhichFrame};
use camlscope_engine::query::flame::{Direction, Found};
use camlscope_engine::query::histogram::Of;
use camlscope_engine::query::measure::Measure;
use camlscope_engine::query::tree::Label;
use camlscope_present::layout::flame::path_to;
use camlscope_present::layout::histogram::columns;

impl App {
    pub fn on_key(&mut self, key: KeyEvent) {
        let is_control = key.modifiers.contains(KeyModifiers::CONTROL);
        let before = self.state.place();
        if self.state.input.is_none() {
            self.state.problem = None;
        }
        if is_control && key.code == KeyCode::Char('c') {
            self.state.is_ended = true;
        } else if self.state.input.is_some() {
            self.type_key(key.code, is_control);
        } else if is_control {
            // Terminals use these keys themselves. They aren't the letters.
        } else if self.state.is_help {
            self.state.is_help = false;
        } else if key.code == KeyCode::Backspace {
            self.state.go_back();
            return self.settle();
        } else {
            let is_of_view = match (&self.state.source, self.state.tab) {
                (Some(_), _) => self.on_source_key(key.code),
                (None, Tab::Flame) => self.on_flame_key(key.code),
                (None, _) => false,
            };
            if !is_of_view && !self.on_common_key(key.code) {
                self.on_tab_key(key.code);
            }
        }
        self.state.remember(before);
        self.settle();
    }

    /// Handles keys in the input line.
    fn type_key(&mut self, code: KeyCode, is_control: bool) {
        let found = completions(&self.state, &self.answers).list;
        let Some(input) = &mut self.state.input else { return };
        let chosen = input.chosen.filter(|at| *at < found.len());
        let complete = |input: &mut Input, Completion { line, .. }: &Completion| {
            *input = Input::new(input.kind, line.clone());
        };
        match (code, chosen) {
            (KeyCode::Char('u'), _) if is_control => input.text.clear(),
            (KeyCode::Char(_), _) if is_control => {}
            (KeyCode::Char(letter), _) => {
                input.text.push(letter);
                input.chosen = None;
            }
            (KeyCode::Backspace, _) => {
                input.text.pop();
                input.chosen = None;
            }
            (KeyCode::Down, at) if !found.is_empty() => {
                input.chosen = Some(at.map_or(0, |at| (at + 1) % found.len()));
            }
            (KeyCode::Up, at) if !found.is_empty() => {
                input.chosen = Some(at.map_or(found.len() - 1, |at| (at + found.len() - 1) % found.len()));
            }
            (KeyCode::Enter, Some(at)) => complete(input, &found[at]),
            (KeyCode::Tab, at) => found.get(at.unwrap_or(0)).into_iter().for_each(|one| complete(input, one)),
            (KeyCode::Esc, _) => {
                self.state.input = None;
                self.state.problem = None;
            }
            (KeyCode::Enter, None) => self.state.take_input(),
            _ => {}
        }
    }

    /// Handles keys that every screen has. Returns whether it was one.
    fn on_common_key(&mut self, code: KeyCode) -> bool {
        let page = isize::try_from(self.size.list_rows(self.state.tab)).unwrap_or(isize::MAX);
        let state = &mut self.state;
        match code {
            KeyCode::Char('q') => state.is_ended = true,
            KeyCode::Char('?') => state.is_help = true,
            KeyCode::Char(digit @ '1'..='8') => state.open_tab(Tab::ALL[digit as usize - '1' as usize]),
            KeyCode::Tab => state.open_tab(Tab::ALL[(state.tab as usize + 1) % Tab::ALL.len()]),
            KeyCode::BackTab => state.open_tab(Tab::ALL[(state.tab as usize + Tab::ALL.len() - 1) % Tab::ALL.len()]),
            KeyCode::Char('m') => state.next_measure(),
            KeyCode::Char('g') => state.next_grain(),
            KeyCode::Char('f') => {
                state.input = Some(Input::new(InputKind::Filter, state.view.filter.to_string()));
            }
            KeyCode::Char('c') => state.change_view(|view| view.filter = Filter::default()),
            KeyCode::Char('o') => state.show_other(),
            KeyCode::Char('v') => self.show_source(),
            KeyCode::Char('e') => self.edit_source(),
            KeyCode::Char('/') if state.tab.has_search() => {
                state.input = Some(Input::new(InputKind::Search, state.search.clone()));
            }
            KeyCode::Esc => {
                state.problem = None;
                if state.tab.has_search() {
                    state.set_search(String::new());
                }
            }
            KeyCode::Char('p') => {
                if let Some(follow) = &mut state.follow {
                    follow.is_paused = !follow.is_paused;
                }
            }
            KeyCode::Up | KeyCode::Char('k') => self.move_by(-1),
            KeyCode::Down | KeyCode::Char('j') => self.move_by(1),
            KeyCode::PageUp => self.move_by(-page),
            KeyCode::PageDown => self.move_by(page),
            KeyCode::Home => self.move_by(isize::MIN / 2),
            KeyCode::End => self.move_by(isize::MAX / 2),
            _ => return false,
        }
        true
    }

    /// Handles keys of the source view. Returns whether it was one.
    fn on_source_key(&mut self, code: KeyCode) -> bool {
        let page = isize::try_from(self.size.body_rows().saturating_sub(3).max(1)).unwrap_or(isize::MAX);
        match code {
            KeyCode::Up | KeyCode::Char('k') => self.move_in_source(-1),
            KeyCode::Down | KeyCode::Char('j') => self.move_in_source(1),
            KeyCode::PageUp => self.move_in_source(-page),
            KeyCode::PageDown => self.move_in_source(page),
            KeyCode::Home => self.move_in_source(isize::MIN / 2),
            KeyCode::End => self.move_in_source(isize::MAX / 2),
            KeyCode::Char('n') => self.go_to_hot_line(true),
            KeyCode::Char('N') => self.go_to_hot_line(false),
            KeyCode::Char('x') => self.filter_by_line(),
            KeyCode::Esc => self.state.source = None,
            // Keys that every screen has, as far as they aren't about its rows.
            KeyCode::Char('q' | '?' | '1'..='8' | 'm' | 'f' | 'c' | 'o' | 'p' | 'e')
            | KeyCode::Tab
            | KeyCode::BackTab => {
                return false;
            }
            _ => {}
        }
        true
    }

    pub(super) fn on_tab_key(&mut self, code: KeyCode) {
        if code == KeyCode::Enter && self.is_source_on_enter() {
            return self.show_source();
        }
        match self.state.tab {
            Tab::Summary => self.on_summary_key(code),
            Tab::Timeline => self.on_timeline_key(code),
            Tab::Table => self.on_table_key(code),
            Tab::Tree => self.on_tree_key(code),
            Tab::Histograms => self.on_histogram_key(code),
            Tab::Leaks => self.on_leaks_key(code),
            Tab::Flame | Tab::Compare => {}
        }
    }

    fn on_summary_key(&mut self, code: KeyCode) {
        if code != KeyCode::Enter {
            return;
        }
        let Some(Answer::Findings(findings)) = self.answers.ok(&requests::findings(&self.state)) else { return };
        let Some(finding) = selected_finding(self).and_then(|at| findings.get(at)).cloned() else { return };
        let function = finding.function_of_figures().cloned();
        self.state.change_view(|view| {
            view.filter = finding.filter;
            view.measure = finding.measure;
        });
        self.state.tab = Tab::Tree;
        self.state.tree.direction = function.map_or(Direction::Inverted, Direction::Callers);
    }

    pub(super) fn on_timeline_key(&mut self, code: KeyCode) {
        let end_us = self.state.end_us();
        let [from, to] = self.state.timeline.window(end_us);
        let step_us = ((to - from) / self.size.plot_width() as u64).max(1);
        let (cursor, cursor_us) = (self.state.cursor(), self.state.cursor_us());
        let state = &mut self.state;
        match code {
            KeyCode::Left => state.move_cursor(false, step_us),
            KeyCode::Right => state.move_cursor(true, step_us),
            KeyCode::Char('P') => state.show_peak(),
            KeyCode::Char('+' | '=') => state.timeline.zoom_in(cursor_us, end_us),
            KeyCode::Char('-') => state.timeline.zoom_out(cursor_us, end_us),
            KeyCode::Char('0') => state.timeline.zoom = None,
            KeyCode::Enter => state.change_view(|view| view.measure = Measure::Live(cursor)),
            KeyCode::Char('[') => state.mark(0),
            KeyCode::Char(']') => state.mark(1),
            KeyCode::Char('x') => state.filter_by_range(),
            KeyCode::Char('A') => state.marked[0] = Some(cursor),
            KeyCode::Char('B') => state.marked[1] = Some(cursor),
            KeyCode::Char('l') => state.next_layers(),
            _ => {}
        }
    }

    fn on_table_key(&mut self, code: KeyCode) {
        let state = &mut self.state;
        match code {
            KeyCode::Char('s') => state.next_column(),
            KeyCode::Char('r') => state.order.descending = !state.order.descending,
            KeyCode::Enter | KeyCode::Right => {
                let Some(Answer::Table(table)) = self.answers.ok(&requests::table(&self.state, self.size)) else {
                    return;
                };
                let row = table.rows.get(self.state.selected() % self.size.list_rows(Tab::Table));
                if let Some(label) = row.map(|row| row.label()) {
                    self.show_callers(label);
                }
            }
            _ => {}
        }
    }

    fn on_tree_key(&mut self, code: KeyCode) {
        match code {
            KeyCode::Char('i') => {
                let is_inverted = self.state.tree.direction == Direction::Inverted;
                self.state.tree.direction = if is_inverted { Direction::TopDown } else { Direction::Inverted };
                self.state.tree.open.clear();
                self.state.select(0);
            }
            KeyCode::Char('t') => {
                let text = self.state.tree.min_samples.to_string();
                self.state.input = Some(Input::new(InputKind::Threshold, text));
            }
            KeyCode::Right | KeyCode::Enter => self.open_branch(),
            KeyCode::Left => self.close_branch(),
            _ => {}
        }
    }

    fn open_branch(&mut self) {
        let selected = tree::rows(&self.state, &self.answers).into_iter().nth(self.state.selected());
        if let Some(TreeRow::Branch { path, branch, is_open: false, .. }) = selected
            && branch.has_children
        {
            self.state.tree.open.insert(path);
        }
    }

    /// Closes the branch, or moves to its parent.
    fn close_branch(&mut self) {
        let rows = tree::rows(&self.state, &self.answers);
        let at = self.state.selected().min(rows.len().saturating_sub(1));
        let depth = |row: &TreeRow| match row {
            TreeRow::Branch { path, .. } => path.len() - 1,
            TreeRow::Below { depth, .. } | TreeRow::Waiting { depth } => *depth,
        };
        match rows.get(at) {
            Some(TreeRow::Branch { path, is_open: true, .. }) => {
                self.state.tree.open.remove(path);
            }
            Some(row) => {
                let parent = rows[..at].iter().rposition(|above| depth(above) < depth(row));
                self.state.select(parent.unwrap_or(at));
            }
            None => {}
        }
    }

    /// Handles keys of the flame graph, some of which mean something else on other screens. Returns whether it was one.
    fn on_flame_key(&mut self, code: KeyCode) -> bool {
        match code {
            KeyCode::Up | KeyCode::Char('k') => self.go_in_flame(|grid, place| grid.after(place, Toward::Up)),
            KeyCode::Down | KeyCode::Char('j') => self.go_in_flame(|grid, place| grid.after(place, Toward::Down)),
            KeyCode::Left | KeyCode::Char('h') => self.go_in_flame(|grid, place| grid.after(place, Toward::Left)),
            KeyCode::Right | KeyCode::Char('l') => self.go_in_flame(|grid, place| grid.after(place, Toward::Right)),
            KeyCode::Home => self.go_in_flame(|_, _| Some(0)),
            KeyCode::Char('n') => {
                let found = requests::find(&self.state).and_then(|request| match self.answers.ok(&request) {
                    Some(Answer::Find(Found { keys, .. })) => Some(keys.clone()),
                    _ => None,
                });
                self.go_in_flame(|grid, place| grid.next_found(place, &found?));
            }
            KeyCode::Enter => self.zoom_in_flame(),
            KeyCode::Char('0') => self.state.flame.zoom_to(Vec::new()),
            KeyCode::Char('x') => self.state.flame.is_expanded = !self.state.flame.is_expanded,
            KeyCode::Char('i') => {
                let direction = match self.state.flame.direction {
                    Direction::TopDown => Direction::Inverted,
                    _ => Direction::TopDown,
                };
                self.state.flame.direction = direction;
                self.state.flame.forget_paths();
            }
            _ => return false,
        }
        true
    }

    /// Selects the box that a step from the selected one leads to.
    pub(super) fn go_in_flame(&mut self, step: impl FnOnce(&Grid<'_>, usize) -> Option<usize>) {
        let Some(grid) = Grid::new(&self.state, &self.answers, self.size) else { return };
        if let Some(next) = grid.selected(&self.state).and_then(|place| step(&grid, place)) {
            self.state.select_box(&grid, next);
        }
    }

    /// Zooms to the selected box. Frames that share a row get their own rows.
    pub(super) fn zoom_in_flame(&mut self) {
        let Some(grid) = Grid::new(&self.state, &self.answers, self.size) else { return };
        let Some(place) = grid.selected(&self.state) else { return };
        if grid.collapsed.holds(grid.flame.boxes[place].depth) {
            self.state.flame.is_expanded = true;
        } else {
            let root = path_to(grid.flame, place);
            self.state.flame.zoom_to(root);
        }
    }

    fn on_histogram_key(&mut self, code: KeyCode) {
        let histogram = &mut self.state.histogram;
        match code {
            KeyCode::Char('s') => histogram.of = Of::Size,
            KeyCode::Char('l') => histogram.of = Of::Lifetime,
            KeyCode::Char('w') => return histogram.next_weight(),
            KeyCode::Char('b') => histogram.next_bins(),
            KeyCode::Enter => return self.filter_by_bar(),
            _ => return,
        }
        self.state.select(0);
    }

    fn filter_by_bar(&mut self) {
        let Some(Answer::Histogram(histogram)) = self.answers.ok(&requests::histogram(&self.state)) else { return };
        let column = columns(histogram, self.state.histogram.bins()).into_iter().nth(self.state.selected());
        if let Some(column) = column.filter(|column| column.amounts.samples > 0) {
            self.state.filter_by_bar(&column);
        }
    }

    fn on_leaks_key(&mut self, code: KeyCode) {
        if !matches!(code, KeyCode::Enter | KeyCode::Right) {
            return;
        }
        let Some(Answer::Growth(growth)) = self.answers.ok(&requests::growth(&self.state)) else { return };
        let Some(site) = growth.sites.get(self.state.selected()) else { return };
        let name = site.name.clone();
        let measure = if site.grown_samples > 0 { Measure::GROWTH } else { Measure::Live(When::End) };
        // Growth is computed without library frames, so the site may be any frame of the stack.
        let test =
            FrameTest { part: FrameField::Function, name: NameTest::is(&name), not: false, which: WhichFrame::Any };
        self.state.change_view(|view| {
            view.filter.clauses.push(Clause::Frame(test));
            view.measure = measure;
        });
        self.state.tab = Tab::Tree;
        self.state.tree.direction = Direction::Inverted;
    }

    fn show_callers(&mut self, label: Label) {
        self.state.tab = Tab::Tree;
        self.state.tree.direction = Direction::Callers(label);
        self.state.tree.open.clear();
        self.state.select(0);
    }

    pub(super) fn move_by(&mut self, rows: isize) {
        let last = self.n_rows().saturating_sub(1);
        let row = self.state.selected().min(last).saturating_add_signed(rows).min(last);
        self.state.select(row);
    }
}
