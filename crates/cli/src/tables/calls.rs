//! `stacks` and `frames`: the call tree by call site. Equal stacks are merged, and inlined frames are separate frames.

use std::panic::resume_unwind;
use std::sync::mpsc;
use std::{mem, thread};

use parquet::data_type::{BoolType, ByteArray, ByteArrayType, Int32Type};

use super::file::{Column, Schema, TextLists};
use super::{GROUP_ROWS, Staging, TableFile, TablesError};
use camlscope_engine::query::label::is_library;
use camlscope_engine::query::tree::{CallTree, Grain, GroupId, Key, KeyId};
use camlscope_engine::trace::{Calls, StackId};

const STACKS: Schema = Schema {
    table: "stacks",
    columns: "REQUIRED INT32 stack;
        OPTIONAL INT32 parent;
        REQUIRED INT32 frame;
        REQUIRED INT32 depth;
        OPTIONAL GROUP functions (LIST) { REPEATED GROUP list { REQUIRED BYTE_ARRAY element (STRING); } }",
    close_numbers: &["stack", "parent"],
    without_statistics: &[&["functions", "list", "element"]],
};

const FRAMES: Schema = Schema {
    table: "frames",
    columns: "REQUIRED INT32 frame;
        REQUIRED BYTE_ARRAY function (STRING);
        REQUIRED BYTE_ARRAY label (STRING);
        OPTIONAL BYTE_ARRAY module (STRING);
        OPTIONAL BYTE_ARRAY file (STRING);
        OPTIONAL INT32 line;
        OPTIONAL INT32 start_column;
        OPTIONAL INT32 end_column;
        REQUIRED BOOLEAN is_library;",
    close_numbers: &["frame"],
    without_statistics: &[],
};

/// A group is written early if its lists have more items than this.
const GROUP_ITEMS: usize = 1 << 21;

/// Rows of `stacks` for one group.
#[derive(Default)]
struct Rows {
    stack: Column<Int32Type>,
    parent: Column<Int32Type>,
    frame: Column<Int32Type>,
    depth: Column<Int32Type>,
    functions: TextLists,
    n_rows: usize,
}

impl Rows {
    fn is_full(&self) -> bool {
        self.n_rows == GROUP_ROWS || self.functions.n_items() >= GROUP_ITEMS
    }

    fn write(&mut self, file: &mut TableFile) -> Result<(), TablesError> {
        let Rows { stack, parent, frame, depth, functions, n_rows } = self;
        *n_rows = 0;
        Ok(file.write_group(&mut [stack, parent, frame, depth, functions])?)
    }
}

pub struct Stacks<'a> {
    calls: &'a Calls,
    tree: CallTree,
    /// By group: whether a row of another table refers to it.
    is_named: Vec<bool>,
}

impl<'a> Stacks<'a> {
    pub fn new(calls: &'a Calls) -> Stacks<'a> {
        let tree = CallTree::new(calls, Grain::Site);
        let is_named = vec![false; tree.groups.len()];
        Stacks { calls, tree, is_named }
    }

    /// Returns a stack's number in the table, or `None` for the empty stack.
    pub fn number(&mut self, stack: StackId) -> Option<i32> {
        let group = self.tree.of_stack(stack.0 as usize);
        self.is_named[group] = true;
        (group > 0).then_some(group as i32)
    }

    /// Writes the table. One thread collects rows while another writes the previous ones.
    pub fn write(&self, to: &Staging<'_>) -> Result<(), TablesError> {
        let mut file = TableFile::create(to, &STACKS)?;
        let (gathered, to_write) = mpsc::sync_channel::<Rows>(0);
        let (written, empty) = mpsc::channel();
        thread::scope(|scope| {
            let writer = scope.spawn(move || {
                for mut rows in to_write {
                    rows.write(&mut file)?;
                    // Reuses the memory, which the kernel would otherwise have to clear again.
                    let _ = written.send(rows);
                }
                file.close()
            });
            self.gather(|rows| {
                let next = empty.try_recv().unwrap_or_default();
                // A writer that has failed accepts no more rows. Its error is returned below.
                gathered.send(mem::replace(rows, next)).is_ok()
            });
            drop(gathered);
            writer.join().unwrap_or_else(|panic| resume_unwind(panic))
        })
    }

    /// Passes rows to `hand_over` whenever there are enough for a group, and at the end. Stops when it returns false.
    fn gather(&self, mut hand_over: impl FnMut(&mut Rows) -> bool) {
        let (groups, keys) = (&self.tree.groups, &self.tree.keys);
        let names: Vec<ByteArray> =
            keys.iter().map(|(_, key)| ByteArray::from(key.label(self.calls).name.as_str())).collect();
        let mut depths = vec![0i32; groups.len()];
        let mut rows = Rows::default();
        let mut path = Vec::new();
        for group in groups.iter().filter(|group| *group != GroupId::ROOT) {
            let above = groups.parent(group);
            depths[group.0 as usize] = depths[above.0 as usize] + 1;
            rows.stack.push(group.0 as i32);
            rows.parent.push_maybe((above != GroupId::ROOT).then_some(above.0 as i32));
            rows.frame.push(groups.key(group).0 as i32);
            rows.depth.push(depths[group.0 as usize]);
            rows.functions.push(self.is_named[group.0 as usize].then(|| {
                self.read_path(group, &mut path);
                path.iter().rev().map(|&KeyId(key)| names[key as usize].clone())
            }));
            rows.n_rows += 1;
            if rows.is_full() && !hand_over(&mut rows) {
                return;
            }
        }
        if rows.n_rows > 0 {
            hand_over(&mut rows);
        }
    }

    /// Reads the frames from the group's own to the outermost.
    fn read_path(&self, group: GroupId, path: &mut Vec<KeyId>) {
        let groups = &self.tree.groups;
        let outwards = std::iter::successors(Some(group), |&group| Some(groups.parent(group)));
        path.clear();
        path.extend(outwards.take_while(|&group| group != GroupId::ROOT).map(|group| groups.key(group)));
    }

    pub fn write_frames(&self, to: &Staging<'_>) -> Result<(), TablesError> {
        let mut file = TableFile::create(to, &FRAMES)?;
        let (mut frame, mut line, mut start, mut end) =
            <(Column<Int32Type>, Column<Int32Type>, Column<Int32Type>, Column<Int32Type>)>::default();
        let (mut function, mut plain, mut module, mut path) =
            <(Column<ByteArrayType>, Column<ByteArrayType>, Column<ByteArrayType>, Column<ByteArrayType>)>::default();
        let mut library = Column::<BoolType>::default();
        let mut n_rows = 0;
        for (KeyId(id), key) in self.tree.keys.iter().filter(|(_, key)| *key != Key::Root) {
            let label = key.label(self.calls);
            let module_id = key.function().map(|function| self.calls.frames.function(function).module);
            let module_name = module_id.map(|module| self.calls.frames.text(module)).filter(|name| !name.is_empty());
            frame.push(id as i32);
            library.push(is_library(&label.name));
            function.push(ByteArray::from(label.name.as_str()));
            plain.push(ByteArray::from(label.plain().as_str()));
            module.push_maybe(module_name.map(ByteArray::from));
            path.push_maybe((!label.file.is_empty()).then(|| ByteArray::from(label.file.as_str())));
            line.push_maybe(label.place.map(|place| place.line as i32));
            start.push_maybe(label.place.map(|place| i32::from(place.start_char)));
            end.push_maybe(label.place.map(|place| i32::from(place.end_char)));
            n_rows += 1;
        }
        if n_rows > 0 {
            file.write_group(&mut [
                &mut frame,
                &mut function,
                &mut plain,
                &mut module,
                &mut path,
                &mut line,
                &mut start,
                &mut end,
                &mut library,
            ])?;
        }
        file.close()
    }
}
