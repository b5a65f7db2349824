//! Handles keys and clicks. Every key is shown on the screen, in the last line or in the help.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};

use super::app::App;
use super::draw::summary::{finding_at, selected_finding};
use super::draw::tab_at;
use super::requests;
use super::size::{GUTTER, HEAD_ROWS};
use super::state::{Input, InputKind};
use super::tab::Tab;
use super::tree::{self, TreeRow};
use camlscope_engine::protocol::Answer;
use camlscope_engine::query::filter::{Clause, Filter, FrameField, FrameTest, NameTest, When, WhichFrame};
use camlscope_engine::query::flame::Direction;
use camlscope_engine::query::measure::Measure;
use camlscope_engine::query::tree::Label;

impl App {
    pub fn on_key(&mut self, key: KeyEvent) {
        let is_control = key.modifiers.contains(KeyModifiers::CONTROL);
        if is_control && key.code == KeyCode::Char('c') {
            self.state.is_ended = true;
        } else if self.state.input.is_some() {
            self.type_key(key.code);
        } else if self.state.is_help {
            self.state.is_help = false;
        } else if !self.on_common_key(key.code) {
            self.on_tab_key(key.code);
        }
        self.settle();
    }

    /// Handles keys in the input line.
    fn type_key(&mut self, code: KeyCode) {
        let Some(input) = &mut self.state.input else { return };
        match code {
            KeyCode::Char(letter) => input.text.push(letter),
            KeyCode::Backspace => drop(input.text.pop()),
            KeyCode::Esc => {
                self.state.input = None;
                self.state.problem = None;
            }
            KeyCode::Enter => self.state.take_input(),
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
            KeyCode::Char(digit @ '1'..='6') => state.tab = Tab::ALL[digit as usize - '1' as usize],
            KeyCode::Tab => state.tab = Tab::ALL[(state.tab as usize + 1) % Tab::ALL.len()],
            KeyCode::BackTab => state.tab = Tab::ALL[(state.tab as usize + Tab::ALL.len() - 1) % Tab::ALL.len()],
            KeyCode::Char('m') => state.next_measure(),
            KeyCode::Char('g') => state.next_grain(),
            KeyCode::Char('f') => {
                let text = state.view.filter.to_string();
                state.input = Some(Input { kind: InputKind::Filter, text });
            }
            KeyCode::Char('c') => state.change_view(|view| view.filter = Filter::default()),
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

    fn on_tab_key(&mut self, code: KeyCode) {
        match self.state.tab {
            Tab::Summary => self.on_summary_key(code),
            Tab::Timeline => self.on_timeline_key(code),
            Tab::Table => self.on_table_key(code),
            Tab::Tree => self.on_tree_key(code),
            Tab::Leaks => self.on_leaks_key(code),
            Tab::Compare => {}
        }
    }

    fn on_summary_key(&mut self, code: KeyCode) {
        if code != KeyCode::Enter {
            return;
        }
        let Some(Answer::Findings(findings)) = self.answers.ok(&requests::findings()) else { return };
        let Some(finding) = selected_finding(self).and_then(|at| findings.get(at)).cloned() else { return };
        let function = finding.function_of_figures().cloned();
        self.state.change_view(|view| {
            view.filter = finding.filter;
            view.measure = finding.measure;
        });
        self.state.tab = Tab::Tree;
        self.state.tree.direction = function.map_or(Direction::Inverted, Direction::Callers);
    }

    fn on_timeline_key(&mut self, code: KeyCode) {
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
            KeyCode::Char('/') => {
                state.input = Some(Input { kind: InputKind::Search, text: state.search.clone() });
            }
            KeyCode::Enter => {
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
                self.state.input = Some(Input { kind: InputKind::Threshold, text });
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

    fn on_leaks_key(&mut self, code: KeyCode) {
        if code != KeyCode::Enter {
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

    fn move_by(&mut self, rows: isize) {
        let last = self.n_rows().saturating_sub(1);
        let row = self.state.selected().min(last).saturating_add_signed(rows).min(last);
        self.state.select(row);
    }

    pub fn on_mouse(&mut self, event: MouseEvent) {
        match event.kind {
            MouseEventKind::ScrollDown if self.state.tab == Tab::Timeline => self.on_timeline_key(KeyCode::Char('-')),
            MouseEventKind::ScrollUp if self.state.tab == Tab::Timeline => self.on_timeline_key(KeyCode::Char('+')),
            MouseEventKind::ScrollDown => self.move_by(3),
            MouseEventKind::ScrollUp => self.move_by(-3),
            MouseEventKind::Down(MouseButton::Left) => self.on_click(event.column, event.row),
            MouseEventKind::Drag(MouseButton::Left) if self.state.tab == Tab::Timeline => {
                self.on_click(event.column, event.row);
            }
            _ => {}
        }
        self.settle();
    }

    fn on_click(&mut self, column: u16, row: u16) {
        if self.state.is_help {
            self.state.is_help = false;
        } else if row == 1 {
            if let Some(tab) = tab_at(column) {
                self.state.tab = tab;
            }
        } else if self.state.tab == Tab::Timeline {
            let share = f64::from(column.saturating_sub(GUTTER)) / self.size.plot_width() as f64;
            let [from, to] = self.state.timeline.window(self.state.end_us());
            self.state.timeline.cursor_us = Some(from + (share * (to - from) as f64) as u64);
        } else if self.state.tab == Tab::Summary {
            if let Some(finding) = finding_at(self, row) {
                self.state.select(finding);
            }
        } else if let Some(line) = row.checked_sub(HEAD_ROWS + 1) {
            let rows = self.size.list_rows(self.state.tab);
            let first = self.state.selected() / rows * rows;
            let chosen = first + usize::from(line);
            if chosen < self.n_rows() && usize::from(line) < rows {
                self.state.select(chosen);
            }
        }
    }
}
