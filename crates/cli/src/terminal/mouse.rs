//! Handles the mouse. A click selects, and a double click does what Enter does.

use ratatui::crossterm::event::{KeyCode, MouseButton, MouseEvent, MouseEventKind};

use super::app::App;
use super::draw::flame::crumb_at;
use super::draw::summary::finding_at;
use super::draw::tab_at;
use super::flame::{Grid, Toward};
use super::size::{GUTTER, HEAD_ROWS};
use super::tab::Tab;

impl App {
    /// `is_double`: the second click of two at the same position.
    pub fn on_mouse(&mut self, event: MouseEvent, is_double: bool) {
        let before = self.state.place();
        match (event.kind, self.state.tab) {
            (MouseEventKind::ScrollDown, _) if self.state.source.is_some() => self.move_in_source(3),
            (MouseEventKind::ScrollUp, _) if self.state.source.is_some() => self.move_in_source(-3),
            (MouseEventKind::ScrollDown, Tab::Timeline) => self.on_timeline_key(KeyCode::Char('-')),
            (MouseEventKind::ScrollUp, Tab::Timeline) => self.on_timeline_key(KeyCode::Char('+')),
            (MouseEventKind::ScrollDown, Tab::Flame) => self.go_in_flame(|grid, place| grid.after(place, Toward::Down)),
            (MouseEventKind::ScrollUp, Tab::Flame) => self.go_in_flame(|grid, place| grid.after(place, Toward::Up)),
            (MouseEventKind::ScrollDown, _) => self.move_by(3),
            (MouseEventKind::ScrollUp, _) => self.move_by(-3),
            (MouseEventKind::Down(MouseButton::Left), _) => {
                let is_on_row = self.on_click(event.column, event.row);
                if is_double && is_on_row {
                    self.on_double_click();
                }
            }
            (MouseEventKind::Drag(MouseButton::Left), Tab::Timeline) => {
                self.on_click(event.column, event.row);
            }
            _ => {}
        }
        self.state.remember(before);
        self.settle();
    }

    fn on_double_click(&mut self) {
        match self.state.tab {
            Tab::Flame => self.zoom_in_flame(),
            Tab::Timeline => {}
            _ => self.on_tab_key(KeyCode::Enter),
        }
    }

    /// Returns whether there was a row or a box, which is then selected.
    fn on_click(&mut self, column: u16, row: u16) -> bool {
        if self.state.is_help {
            self.state.is_help = false;
            return false;
        }
        if row == 1 {
            if let Some(tab) = tab_at(self.size.width, self.state.tab, column) {
                self.state.open_tab(tab);
            }
            return false;
        }
        if self.state.source.is_some() {
            if let Some(row) = row.checked_sub(HEAD_ROWS) {
                self.click_in_source(usize::from(row));
            }
            return false;
        }
        match self.state.tab {
            Tab::Timeline => {
                let share = f64::from(column.saturating_sub(GUTTER)) / self.size.plot_width() as f64;
                let [from, to] = self.state.timeline.window(self.state.end_us());
                self.state.timeline.cursor_us = Some(from + (share * (to - from) as f64) as u64);
                false
            }
            Tab::Summary => {
                let finding = finding_at(self, row);
                finding.into_iter().for_each(|finding| self.state.select(finding));
                finding.is_some()
            }
            Tab::Flame => self.on_flame_click(column, row),
            _ => self.on_list_click(row),
        }
    }

    fn on_flame_click(&mut self, column: u16, row: u16) -> bool {
        let Some(line) = row.checked_sub(HEAD_ROWS + 1) else {
            if row == HEAD_ROWS
                && let Some(root) = crumb_at(self, column)
            {
                self.state.flame.zoom_to(root);
            }
            return false;
        };
        let Some(grid) = Grid::new(&self.state, &self.answers, self.size) else { return false };
        let place = grid.at(&self.state, usize::from(column), usize::from(line));
        place.into_iter().for_each(|place| self.state.select_box(&grid, place));
        place.is_some()
    }

    fn on_list_click(&mut self, row: u16) -> bool {
        let Some(line) = row.checked_sub(HEAD_ROWS + 1).map(usize::from) else { return false };
        let rows = self.size.list_rows(self.state.tab);
        let chosen = self.state.selected() / rows * rows + line;
        let is_row = chosen < self.n_rows() && line < rows;
        if is_row {
            self.state.select(chosen);
        }
        is_row
    }
}
